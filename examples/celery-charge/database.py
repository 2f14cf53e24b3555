"""The application's database, by the address in DATABASE_URL. Every connection has time limits."""

import os
from urllib.parse import unquote, urlsplit

ADDRESS = os.environ["DATABASE_URL"]
PARTS = urlsplit(ADDRESS)

# The driver is loaded when the worker starts, and not at its first task.
if PARTS.scheme == "sqlite":
    import sqlite3

    def connect():
        return sqlite3.connect(PARTS.path, timeout=5)

elif PARTS.scheme == "mysql":
    import pymysql

    def connect():
        return pymysql.connect(
            host=PARTS.hostname, port=PARTS.port or 3306, user=unquote(PARTS.username or ""),
            password=unquote(PARTS.password or ""), database=PARTS.path[1:],
            connect_timeout=5, read_timeout=9, write_timeout=9,
        )  # fmt: skip

else:
    import psycopg

    def connect():
        return psycopg.connect(ADDRESS, connect_timeout=5, tcp_user_timeout=5000, options="-c statement_timeout=5s")
