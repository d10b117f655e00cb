"""The data sources, and how they are registered with a session, with a rule for its optimizer.

A session without any registration finds the sources too: Spark imports each module on the path
whose name begins with ``pyspark_`` and takes its ``DefaultSource``.  There is one such module per
source, because Spark takes only one source from a module.

The rule gives each scan of a query a source and columns of its own.  Spark asks a Python source for
all of its columns, and keeps what the source planned with the relation that ``load`` made. All
scans of that relation share it: after ``df.where(...)`` pushed a filter, ``df`` itself has only the
filtered rows, and both sides of a union have those of the last filter.  The rule

- puts a copy of the relation into each place where it is scanned.  It marks the copy in the schema
  that the reader gets, and readers push filters only where that mark is;
- gives the copy only the columns that the query needs there, from the projection that Spark's own
  rules leave above the scan; a count, which needs no column, reads the column with the smallest
  values.

The rule is Java, which Spark's own compiler compiles in the driver.  Where that is not possible, as
with Spark Connect, no scan is marked or narrowed, and Spark evaluates all filters itself.

Source: PySpark's ``sql/worker/lookup_data_sources.py``; Spark's ``PythonDataSourceV2.scala`` and
``PythonScanBuilder.scala``, 4.1 to 4.3, and ``ColumnPruning`` in its ``Optimizer.scala``.
"""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

__all__ = ["SOURCES", "SWITCHES", "is_unshared", "register", "source_class"]

_MARK: Final = "byteloom.unshared"
"""Metadata of a relation's first column that makes the relation unique to one scan."""

_RULE: Final = """
package byteloom;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.AttributeSet;
import org.apache.spark.sql.catalyst.expressions.AttributeSet$;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.execution.datasources.v2.python.PythonDataSourceV2;
import org.apache.spark.sql.execution.datasources.v2.python.PythonTable;
import org.apache.spark.sql.types.MetadataBuilder;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.collection.immutable.Seq;
import scala.collection.mutable.ArrayBuffer;

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
                return node instanceof Project || isOurs(node);
            }
            public Object applyOrElse(Object node, scala.Function1 otherwise) {
                if (node instanceof Project)
                    return pruned((TreeNode) node, AttributeSet$.MODULE$.empty());
                if (!isOurs(node)) return otherwise.apply(node);
                DataSourceV2Relation relation = (DataSourceV2Relation) node;
                boolean isMarked = relation.table().schema().fields()[0].metadata().contains(MARK);
                boolean isFirst = seen.add(relation.table());
                if (isMarked && isFirst) return relation;
                StructField[] all = relation.table().schema().fields();
                TreeNode made = replaced(relation, all, relation.output());
                if (made != relation) seen.add(((DataSourceV2Relation) made).table());
                return made;
            }
        });
    }

    private static boolean isOurs(Object node) {
        if (!(node instanceof DataSourceV2Relation)) return false;
        Table table = ((DataSourceV2Relation) node).table();
        return table instanceof PythonTable && table.name().startsWith("byteloom.")
            && table.schema().fields().length > 0;
    }

    private static TreeNode pruned(TreeNode node, final AttributeSet above) {
        if (isOurs(node)) return narrowed((DataSourceV2Relation) node, above);
        boolean isWay = node instanceof Filter || node instanceof Project && above.isEmpty();
        if (!isWay) return node;
        final AttributeSet wanted = above.$plus$plus(((LogicalPlan) node).references());
        return node.mapChildren(new scala.runtime.AbstractFunction1() {
            public Object apply(Object child) { return pruned((TreeNode) child, wanted); }
        });
    }

    private static TreeNode narrowed(DataSourceV2Relation relation, AttributeSet wanted) {
        StructField[] fields = relation.table().schema().fields();
        Seq output = relation.output();
        if (fields.length != output.size()) return relation;
        List kept = new ArrayList();
        ArrayBuffer attributes = new ArrayBuffer();
        int least = 0;
        for (int at = 0; at < fields.length; at++) {
            if (size(fields[at]) < size(fields[least])) least = at;
            if (!wanted.contains((NamedExpression) output.apply(at))) continue;
            kept.add(fields[at]);
            attributes.append(output.apply(at));
        }
        if (kept.isEmpty()) {
            kept.add(fields[least]);
            attributes.append(output.apply(least));
        }
        if (kept.size() == fields.length) return relation;
        StructField[] few = (StructField[]) kept.toArray(new StructField[0]);
        return replaced(relation, few, attributes.toSeq());
    }

    private static int size(StructField field) { return field.dataType().defaultSize(); }

    private static TreeNode replaced(
        DataSourceV2Relation relation, StructField[] wanted, Object output
    ) {
        PythonTable old = (PythonTable) relation.table();
        StructField[] fields = (StructField[]) wanted.clone();
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
            Object[] parts = new Object[relation.productArity()];
            for (int at = 0; at < parts.length; at++) {
                Object part = relation.productElement(at);
                parts[at] = part == old ? table : part == relation.output() ? output : part;
            }
            return (TreeNode) DataSourceV2Relation.class.getConstructors()[0].newInstance(parts);
        } catch (ReflectiveOperationException error) {
            return relation;
        }
    }
}
"""


def _add_scan_rule(spark: SparkSession) -> None:
    """Give each scan of a session's queries its own source and columns, if that is possible.

    It only affects sessions that have not run a query yet: after the first one Spark keeps its
    rules.
    """
    gateway = getattr(getattr(spark, "sparkContext", None), "_gateway", None)
    if gateway is None or spark.conf.getAll.get(_MARK) is not None:
        return
    session = spark._jsparkSession  # noqa: SLF001  (rules have no public way in)
    with suppress(Exception):  # another release of Spark may lack any of these
        session.extensions().injectOptimizerRule(_builder(gateway))
    spark.conf.set(_MARK, "true")


def _builder(gateway: Any) -> Any:
    """Return the Scala function that makes the rule for a session."""
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


SWITCHES: Final = {
    "spark.sql.python.filterPushdown.enabled": "true",
    # Otherwise DataFrames with times of day cannot be counted.
    "spark.sql.timeType.enabled": "true",
}
"""Settings of a session that the sources need, and that are off by default in Spark."""

SOURCES: Final = {
    "byteloom.hfile": "byteloom.spark.sources.hfile:HFileSource",
    "byteloom.hudi": "byteloom.spark.sources.hudi:HudiSource",
    "byteloom.iceberg": "byteloom.spark.sources.iceberg:IcebergSource",
    "byteloom.lance": "byteloom.spark.sources.lance:LanceSource",
    "byteloom.puffin": "byteloom.spark.sources.puffin:PuffinSource",
    "byteloom.records": "byteloom.spark.sources.records:RecordsSource",
}
"""The module and the class of each source."""


def source_class(name: str) -> Any:
    """Return the class of a source of `SOURCES`."""
    module, _, kind = SOURCES[name].partition(":")
    return getattr(import_module(module), kind)


def register(spark: SparkSession) -> None:
    """Make all sources known to a session, and switch on what they need of it: `SWITCHES`.

    Settings made for the session stay as they are.  The session becomes the calling thread's active
    one, where Spark looks for the source with which a DataFrame is written; without this, only the
    thread that made the session has one.

    Args:
        spark: The session.
    """
    _activate(spark)
    _add_scan_rule(spark)
    for name in SOURCES:
        spark.dataSource.register(source_class(name))
    given = spark.conf.getAll
    for name, value in SWITCHES.items():
        if name not in given:
            spark.conf.set(name, value)


def _activate(spark: SparkSession) -> None:
    """Make a session the active one of this thread; sessions of Spark Connect need none."""
    session = getattr(spark, "_jsparkSession", None)
    if session is not None:
        kind = spark.sparkContext._gateway.jvm.org.apache.spark.sql.classic.SparkSession  # noqa: SLF001  (there is no public way)
        kind.setActiveSession(session)
