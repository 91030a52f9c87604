/** Compute the golden values in Pyodide: `PYODIDE=folder .ci/prove pyodide`. */

const [folder, packages, tests] = process.argv.slice(2);
const { loadPyodide } = await import(`${folder}/pyodide.mjs`);
const pyodide = await loadPyodide({ indexURL: `${folder}/`, stdout: (line) => console.log(line) });
await pyodide.loadPackage(["numpy", "scipy", "pandas"], { messageCallback: () => {} });
pyodide.mountNodeFS("/packages", packages);
pyodide.mountNodeFS("/tests", tests);
process.exitCode = await pyodide.runPythonAsync(`
import sys

sys.path.insert(0, "/packages")
sys.dont_write_bytecode = True

import numpy, pytest, scipy
import dpviz

print(f"Python {sys.version.split()[0]} on {sys.platform}, NumPy {numpy.__version__}, SciPy {scipy.__version__}")
result = dpviz.analyze(dpviz.read_sample("overfitted"), epsilon=1.0, delta=1e-5)
print(result.sentences["answer"], result.sentences["answer_detail"])
options = ("-q", "-s", "--tb=line", "-p", "no:cacheprovider", "-c", "/dev/null", "--import-mode=importlib")
int(pytest.main([*options, "/tests"]))
`);
