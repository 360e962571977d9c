"""Runs the unmodified official Python client against the host example, which serves the generated site.

Every function named `case_...` in the files `cases_*.py` is a case; its docstring describes it. `--list`
prints them all.
"""

import argparse
import sys
import time
import traceback
import warnings

import firecrawl

import cases_errors
import cases_jobs
import cases_model
import cases_restart
import cases_scrape
from world import Skipped, World

warnings.simplefilter("ignore", DeprecationWarning)

VERSION = "4.55.0"
MODULES = [cases_scrape, cases_jobs, cases_errors, cases_model, cases_restart]


def cases():
    """All cases by name, in the order of the files."""
    found = {}
    for module in MODULES:
        for name, case in vars(module).items():
            if name.startswith("case_"):
                assert name not in found, f"two cases are called {name}"
                found[name] = case
    return {name.removeprefix("case_"): case for name, case in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", help="the built host example")
    parser.add_argument("--site", help="the built site example")
    parser.add_argument("--in-database", action="store_true",
                        help="two hosts with one PostgreSQL, behind a proxy that takes turns")
    parser.add_argument("--list", action="store_true", help="print the cases and their descriptions")
    parser.add_argument("only", nargs="*", help="run only these cases")
    arguments = parser.parse_args()
    if arguments.list:
        for name, case in cases().items():
            print(f"{name}: {case.__doc__}")
        return 0
    assert firecrawl.__version__ == VERSION, f"the client has version {firecrawl.__version__}, not {VERSION}"
    chosen = {name: case for name, case in cases().items() if not arguments.only or name in arguments.only}
    failed, skipped = [], []
    with World(arguments.host, arguments.site, arguments.in_database) as world:
        for name, case in chosen.items():
            began = time.monotonic()
            try:
                case(world)
                print(f"ok   {name}: {case.__doc__} ({time.monotonic() - began:.1f} s)", flush=True)
            except Skipped as reason:
                skipped.append(name)
                print(f"SKIPPED {name}: {reason}", flush=True)
            except Exception:  # noqa: BLE001 - all cases are run
                failed.append(name)
                print(f"FAIL {name}: {case.__doc__}", flush=True)
                traceback.print_exc()
    passed = len(chosen) - len(failed) - len(skipped)
    print(f"{passed} of {len(chosen)} cases passed with firecrawl-py {VERSION}, {len(skipped)} were skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
