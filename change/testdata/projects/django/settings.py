import os
from urllib.parse import urlsplit

import pymysql

pymysql.install_as_MySQLdb()

address = urlsplit(os.environ["ADDRESS"])
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends." + {"postgresql": "postgresql", "mysql": "mysql", "sqlite": "sqlite3"}[address.scheme],
        "NAME": address.path if address.scheme == "sqlite" else address.path[1:],
        "HOST": address.hostname,
        "PORT": address.port,
        "USER": address.username,
    }
}
INSTALLED_APPS = ["billing"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
