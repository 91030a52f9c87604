"""A million random inputs: each is taken, or refused with one sentence that can be read.

    python -m benchmarks.fuzz [--share 1.0] [--seed 0] [TARGET ...]

Readers of scores and claims, states, receipts, reports and messages of a browser get valid inputs
that were changed at random: bytes, or parts of a document. The same seed gives the same inputs. An
input that ends in any other way is printed, with the number that makes it again:
`Target.input(seed, number)`. What was found is in the tests: `tests/data/malformed`,
`tests/widgets/test_received.py`.
"""

import argparse
import resource
import time
import traceback
import warnings
from typing import Any

from benchmarks.fuzz_targets import Target, document_targets, file_targets, message_targets

LONGEST = 2000  # characters of a message


def ended(target: Target, given: Any) -> str:
    """How it ended: "taken" or "refused", otherwise what went wrong."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", UserWarning)
            target.take(given)
    except (ValueError, OSError) as error:
        said = str(error)
        if not said.isprintable():
            return f"a message with control characters: {said[:300]!r}"
        return "refused" if len(said) < LONGEST else f"a message of {len(said)} characters"
    except Exception:
        return traceback.format_exc(limit=-3)
    return "taken"


def main() -> None:
    """Try all, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="of the counts in the table")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("targets", nargs="*")
    chosen = parser.parse_args()
    total = 0
    print("| input | tried | taken | refused | other | CPU, slowest | memory |")
    print("|---|---|---|---|---|---|---|")
    for target in (*file_targets(), *document_targets(), *message_targets()):
        if chosen.targets and target.name not in chosen.targets:
            continue
        counts = {"taken": 0, "refused": 0, "other": 0}
        seen: set[str] = set()
        slowest = 0.0
        for number in range(round(target.count * chosen.share)):
            given = target.input(chosen.seed, number)
            begin = time.process_time()
            how = ended(target, given)
            slowest = max(slowest, time.process_time() - begin)
            counts[how if how in counts else "other"] += 1
            if how not in counts and how[-300:] not in seen and len(seen) < 5:
                seen.add(how[-300:])
                print(f"<!-- {target.name} {number}: {given!r:.2000}\n{how} -->", flush=True)
        tried = sum(counts.values())
        total += tried
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        shown = " | ".join(map(str, counts.values()))
        print(f"| {target.name} | {tried} | {shown} | {slowest:.2f} s | {peak} MiB |", flush=True)
    print(f"| all | {total} | | | | | |")


if __name__ == "__main__":
    main()
