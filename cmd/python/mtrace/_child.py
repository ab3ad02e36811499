"""Runs one call of a traced function: python -m mtrace._child CALL RESULT."""

import multiprocessing.spawn
import pickle
import sys
import traceback


def main() -> None:
    asked, answered = sys.argv[1:]  # preparing replaces sys.argv by the program's
    with open(asked, "rb") as file:
        prepared, work = pickle.load(file)
    multiprocessing.spawn.prepare(prepared)  # so that names defined in the script are found
    call, arguments, named = pickle.loads(work)
    try:
        result = False, call.__wrapped__(*arguments, **named)
    except BaseException as why:
        traceback.print_exc()
        result = True, why
    try:
        text = pickle.dumps(result)
    except Exception as why:
        text = pickle.dumps(
            (
                True,
                TypeError(
                    "what the function %s cannot be sent back: %s" % ("raised" if result[0] else "returned", why)
                ),
            )
        )
    with open(answered, "wb") as file:
        file.write(text)


main()
