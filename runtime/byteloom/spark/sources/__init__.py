"""The data sources of Spark, one module for each, and what they share."""

from byteloom.spark.worker_daemon import end_quietly

end_quietly()
