from django.db import models


class Charge(models.Model):
    order_id = models.CharField(max_length=100)

    class Meta:
        db_table = "charges"
