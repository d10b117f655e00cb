"""Give each scan of a query its own Python source, without which pushed filters are unsound.

Spark keeps what a Python source planned with the relation that ``load`` made, and all scans of that
relation share it: after ``df.where(...)`` pushed a filter, ``df`` itself has only the filtered
rows, and both sides of a union have those of the last filter.  A rule of the optimizer puts a copy
of the relation into each place where it is scanned.  It marks the copy in the schema that the
reader gets, and readers push filters only where that mark is.

The rule is Java, which Spark's own compiler compiles in the driver.  Where that is not possible, as
with Spark Connect, no scan is marked, and Spark evaluates all filters itself.

Source: Spark's ``PythonDataSourceV2.scala`` and ``PythonScanBuilder.scala``, 4.1 to 4.3.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

__all__ = ["is_unshared", "unshare_scans"]

_MARK: Final = "byteloom.unshared"
"""Metadata of a relation's first column, which makes the relation unique to one scan."""

_RULE: Final = """
package byteloom;

import java.lang.reflect.Field;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.execution.datasources.v2.python.PythonDataSourceV2;
import org.apache.spark.sql.execution.datasources.v2.python.PythonTable;
import org.apache.spark.sql.types.MetadataBuilder;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

public class UnsharedScans extends Rule {
    private static final String MARK = "byteloom.unshared";

    public static Object builder() {
        return new scala.runtime.AbstractFunction1() {
            public Object apply(Object session) { return new UnsharedScans(); }
        };
    }

    public TreeNode apply(TreeNode plan) {
        final Set seen = Collections.newSetFromMap(new IdentityHashMap());
        return ((LogicalPlan) plan).transformDown(new scala.runtime.AbstractPartialFunction() {
            public boolean isDefinedAt(Object node) {
                if (!(node instanceof DataSourceV2Relation)) return false;
                Table table = ((DataSourceV2Relation) node).table();
                return table instanceof PythonTable && table.name().startsWith("byteloom.")
                    && table.schema().fields().length > 0;
            }
            public Object applyOrElse(Object node, scala.Function1 otherwise) {
                if (!isDefinedAt(node)) return otherwise.apply(node);
                DataSourceV2Relation relation = (DataSourceV2Relation) node;
                boolean isMarked = relation.table().schema().fields()[0].metadata().contains(MARK);
                boolean isFirst = seen.add(relation.table());
                return isMarked && isFirst ? relation : unshared(relation, seen);
            }
        });
    }

    private static Object unshared(DataSourceV2Relation relation, Set seen) {
        PythonTable old = (PythonTable) relation.table();
        StructField[] fields = (StructField[]) old.schema().fields().clone();
        MetadataBuilder marked = new MetadataBuilder().withMetadata(fields[0].metadata());
        fields[0] = new StructField(fields[0].name(), fields[0].dataType(), fields[0].nullable(),
            marked.putString(MARK, "true").build());
        try {
            PythonDataSourceV2 source = new PythonDataSourceV2();
            source.setShortName(old.name());
            Field kept = PythonTable.class.getDeclaredField("ds");
            kept.setAccessible(true);
            Field made = PythonDataSourceV2.class.getDeclaredField("dataSourceInPython");
            made.setAccessible(true);
            made.set(source, made.get(kept.get(old)));
            Table table = new PythonTable(source, old.name(), new StructType(fields));
            seen.add(table);
            Object[] parts = new Object[relation.productArity()];
            for (int at = 0; at < parts.length; at++) {
                Object part = relation.productElement(at);
                parts[at] = part == old ? table : part;
            }
            return DataSourceV2Relation.class.getConstructors()[0].newInstance(parts);
        } catch (ReflectiveOperationException error) {
            return relation;
        }
    }
}
"""


def unshare_scans(spark: SparkSession) -> None:
    """Give each scan of a session's queries its own source, if that is possible.

    It has an effect on sessions that have not run a query yet: Spark then keeps its rules.
    """
    gateway = getattr(getattr(spark, "sparkContext", None), "_gateway", None)
    if gateway is None or spark.conf.getAll.get(_MARK) is not None:
        return
    session = spark._jsparkSession  # noqa: SLF001  (rules have no public way in)
    with suppress(Exception):  # of another release of Spark, whatever it lacks
        session.extensions().injectOptimizerRule(_builder(gateway))
    spark.conf.set(_MARK, "true")


def _builder(gateway: Any) -> Any:
    """What makes the rule for a session, a Scala function."""
    jvm = gateway.jvm
    compiler = jvm.org.codehaus.janino.SimpleCompiler()
    compiler.setParentClassLoader(jvm.java.lang.Thread.currentThread().getContextClassLoader())
    compiler.cook(_RULE)
    rule = compiler.getClassLoader().loadClass("byteloom.UnsharedScans")
    none = gateway.new_array(jvm.java.lang.Class, 0)
    return rule.getMethod("builder", none).invoke(None, gateway.new_array(jvm.java.lang.Object, 0))


def is_unshared(schema: StructType) -> bool:
    """Return whether the *schema* that a reader gets belongs to a single scan."""
    return any(_MARK in each.metadata for each in schema.fields[:1])
