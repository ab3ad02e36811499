"""Runs every query of docs/sql in several databases over the tables of one trace: the results must be equal.
Usage: sql.py FOLDER QUERIES

Databases that are not installed are left out; the last line lists those that ran."""
import glob
import os
import sys

folder, queries = sys.argv[1:]
tables = {os.path.basename(path)[: -len(".parquet")]: path for path in glob.glob(os.path.join(folder, "*.parquet"))}
assert "calls" in tables, tables


def duckdb_asks():
    import duckdb

    connection = duckdb.connect()
    for name, path in tables.items():
        connection.execute("CREATE VIEW %s AS SELECT * FROM read_parquet('%s')" % (name, path))
    return lambda query: connection.execute(query).fetchall()


def clickhouse_asks():
    from chdb import session

    connection = session.Session()
    connection.query("CREATE DATABASE t")
    for name, path in tables.items():
        connection.query("CREATE VIEW t.%s AS SELECT * FROM file('%s', Parquet)" % (name, path))

    def ask(query):
        import json

        text = str(connection.query("USE t; " + query + " SETTINGS output_format_json_quote_64bit_integers = 0",
            "JSONCompactEachRow"))
        return [tuple(json.loads(line)) for line in text.splitlines()]

    return ask


def datafusion_asks():
    import datafusion

    context = datafusion.SessionContext()
    for name, path in tables.items():
        context.register_parquet(name, path)
    return lambda query: [tuple(row.values()) for batch in context.sql(query).collect() for row in batch.to_pylist()]


def spark_asks():
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").config(
        "spark.sql.shuffle.partitions", "1").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    for name, path in tables.items():
        session.read.parquet(path).createOrReplaceTempView(name)
    return lambda query: [tuple(row) for row in session.sql(query).collect()]


asking = {}
for name, make in (("DuckDB", duckdb_asks), ("ClickHouse", clickhouse_asks), ("DataFusion", datafusion_asks),
    ("Spark", spark_asks)):
    try:
        asking[name] = make()
    except ImportError:
        pass
wrong = 0
for path in sorted(glob.glob(os.path.join(queries, "*.sql"))):
    with open(path) as file:
        query = file.read()
    answers = {name: [tuple(int(v) if not isinstance(v, str) else v for v in row) for row in ask(query)] for name,
        ask in asking.items()}
    first = next(iter(answers.values()))
    for name, rows in answers.items():
        if rows != first:
            wrong += 1
            print("%s: %s says\n%s\nand %s\n%s" % (os.path.basename(path), name, rows[:5], next(iter(answers)),
                first[:5]))
    if not first and os.path.basename(path) != "failed.sql":
        wrong += 1
        print("%s has no rows" % path)
print(", ".join(asking))
sys.exit(wrong)
