"""Reads a Parquet file with DataFusion, over object_store: read_parquet.py URL [COLUMN ..]. Prints as read_uproot.py."""

import resource
import sys
import time
from urllib.parse import urlsplit

import datafusion
from datafusion.object_store import Http

url, *columns = sys.argv[1:]
parts = urlsplit(url)
host = f"{parts.scheme}://{parts.netloc}"
begun, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)
context = datafusion.SessionContext()
context.register_object_store(f"{parts.scheme}://", Http(host), parts.netloc)
context.register_parquet("events", url)
query = f"select {', '.join(columns) or '*'} from events"
entries = sum(batch.to_pyarrow().num_rows for batch in context.sql(query).execute_stream())
seconds, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_SELF)
print(seconds, after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime, entries)
