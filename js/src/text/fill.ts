/** Fill the slots of a template; a slot without a value is left out. */
export function fill(
  template: string | undefined,
  values: Record<string, string | number | undefined>,
): string {
  return (template ?? "").replace(/\{\{|\}\}|\{(\w+)\}/g, (found, name?: string) =>
    name === undefined ? found[0]! : String(values[name] ?? ""));
}

export function texts<T>(values: Record<string, T>, write: (value: T) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, write(value)]));
}
