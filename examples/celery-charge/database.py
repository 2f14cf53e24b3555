"""The application's database, by the address in DATABASE_URL. Every connection has time limits."""

import os
from urllib.parse import unquote, urlsplit


def connect():
    address = os.environ["DATABASE_URL"]
    parts = urlsplit(address)
    if parts.scheme == "sqlite":
        import sqlite3

        return sqlite3.connect(parts.path, timeout=5)
    if parts.scheme == "mysql":
        import pymysql

        return pymysql.connect(
            host=parts.hostname, port=parts.port or 3306, user=unquote(parts.username or ""),
            password=unquote(parts.password or ""), database=parts.path[1:],
            connect_timeout=5, read_timeout=9, write_timeout=9,
        )  # fmt: skip
    import psycopg

    return psycopg.connect(address, connect_timeout=5, tcp_user_timeout=5000, options="-c statement_timeout=5s")
