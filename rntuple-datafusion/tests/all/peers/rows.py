"""Prints the rows of queries, as the tests write them: `rows.py duckdb|polars|uproot FILE`, a query on each line of the input.

A query of uproot is an expression of Python over `events`, whose elements are the rows.
"""

import decimal
import json
import sys


def text(value):
    """A value in the form that `text.rs` has."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return number(value)
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {text(member)}" for name, member in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(text, value)) + "]"
    raise TypeError(f"{type(value)}: {value}")


def number(value):
    """The fewest digits that mean a number, with an exponent: 4.5e1."""
    if value != value:
        return "NaN"
    if value in (float("inf"), -float("inf")):
        return "inf" if value > 0 else "-inf"
    sign, digits, exponent = decimal.Decimal(repr(value)).as_tuple()
    exponent = exponent + len(digits) - 1 if any(digits) else 0
    digits = "".join(map(str, digits)).rstrip("0") or "0"
    return "-" * sign + digits[0] + "." * (len(digits) > 1) + digits[1:] + f"e{exponent}"


def duckdb_rows(path):
    import duckdb

    connection = duckdb.connect()
    # `m -> m['pt']`, which DataFusion has as well. DuckDB 2.0 has two forms of lambdas, and this one must be asked for.
    connection.execute("SET lambda_syntax = 'ENABLE_SINGLE_ARROW'")
    connection.execute(f"CREATE VIEW events AS FROM read_parquet('{path}')")
    return lambda query: connection.execute(query).fetchall()


def polars_rows(path):
    import polars

    context = polars.SQLContext(events=polars.scan_parquet(path), eager=True)
    return lambda query: context.execute(query).rows()


def uproot_rows(path):
    import awkward
    import uproot

    events = uproot.open(path)["Events"].arrays()
    return lambda query: eval(query, {"ak": awkward, "events": events})


def main(engine, path):
    rows = {"duckdb": duckdb_rows, "polars": polars_rows, "uproot": uproot_rows}[engine](path)
    for query in sys.stdin.read().splitlines():
        try:
            found = rows(query)
        except Exception as error:
            print("error:", str(error).replace("\n", " "))
            found = []
        for row in found:
            print("row:", " | ".join(map(text, row)))
        print("end")


main(*sys.argv[1:])
