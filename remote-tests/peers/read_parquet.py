"""Reads a Parquet file with DataFusion, over object_store: read_parquet.py URL [COLUMN ..]. Prints as read_uproot.py.

The store is that of S3, since that of HTTP takes only `https://` here; to a web server its requests are the same. The first
part of the path is the bucket.
"""

import resource
import sys
import time
from urllib.parse import urlsplit

import datafusion
from datafusion.object_store import AmazonS3

url, *columns = sys.argv[1:]
parts = urlsplit(url)
bucket, key = parts.path.lstrip("/").split("/", 1)
begun, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)
store = AmazonS3(
    bucket_name=bucket,
    region="us-east-1",
    access_key_id="any",
    secret_access_key="any",
    endpoint=f"http://{parts.netloc}",
    allow_http=True,
)
context = datafusion.SessionContext()
context.register_object_store("s3://", store, bucket)
context.register_parquet("events", f"s3://{bucket}/{key}")
query = f"select {', '.join(columns) or '*'} from events"
entries = sum(batch.to_pyarrow().num_rows for batch in context.sql(query).execute_stream())
seconds, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_SELF)
print(seconds, after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime, entries)
