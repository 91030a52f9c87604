/** A file sent to the kernel in pieces, as fast as the kernel accepts them. */

/** Bytes of one message: far below the limits of servers. */
const PIECE = 2 ** 20;
/** Bytes that may be sent without an answer. */
const AHEAD = 4 * PIECE;

/** A message to the kernel, which answers with the bytes received; the first answer is 0. */
export type Message =
  | { do: "begin"; id: string; name: string; size: number }
  | { do: "piece"; id: string; at: number }
  | { do: "cancel"; id: string };

/** A `File` of the browser, or its substitute in a test. */
export interface Source {
  name: string;
  size: number;
  slice(from: number, to: number): { arrayBuffer(): Promise<ArrayBuffer> };
}

export interface Sending {
  /** The kernel has received this number of bytes: send the next pieces. */
  taken(bytes: number): Promise<void>;
  /** Send nothing more and ignore further answers. */
  stop(): void;
}

/** Begin to send a file; `failed` is called once if the browser cannot read it. */
export function sending(
  file: Source,
  id: string,
  send: (message: Message, piece?: ArrayBuffer) => void,
  failed: () => void,
): Sending {
  let [sent, had, isReading, isStopped] = [0, 0, false, false];

  const next = async (): Promise<void> => {
    const from = sent;
    const to = Math.min(from + PIECE, file.size);
    const piece = await file.slice(from, to).arrayBuffer();
    if (isStopped) return;
    if (piece.byteLength !== to - from) throw new Error("the file has changed");
    sent = to;
    send({ do: "piece", id, at: from }, piece);
  };

  send({ do: "begin", id, name: file.name, size: file.size });
  return {
    async taken(bytes) {
      had = bytes;
      if (isReading) return;
      isReading = true;
      try {
        while (!isStopped && sent < file.size && sent < had + AHEAD) await next();
      } catch {
        if (!isStopped) failed();
        isStopped = true;
      }
      isReading = false;
    },
    stop() {
      isStopped = true;
    },
  };
}

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"];

/** Bytes in words, rounded up: "1.5 MiB". */
export function amount(bytes: number): string {
  let unit = 0;
  for (; bytes >= 1024 && unit < UNITS.length - 1; unit++) bytes /= 1024;
  const shown = unit && bytes < 10 ? Math.ceil(bytes * 10) / 10 : Math.ceil(bytes);
  return `${shown} ${UNITS[unit]}`;
}
