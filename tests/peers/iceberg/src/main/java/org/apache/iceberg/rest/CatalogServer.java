package org.apache.iceberg.rest;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.rest.RESTCatalogProperties.SnapshotMode;
import org.apache.iceberg.rest.requests.CreateNamespaceRequest;
import org.apache.iceberg.rest.requests.CreateTableRequest;
import org.apache.iceberg.rest.requests.UpdateTableRequest;
import org.apache.iceberg.rest.responses.ConfigResponse;
import org.apache.iceberg.rest.responses.ErrorResponse;

/**
 * A REST catalog whose handlers are Iceberg's own. It is in their package, since they read and
 * write JSON with a mapper that only the package sees.
 */
public final class CatalogServer {
    private static final int SKIPPED = "/v1/".length();

    private final InMemoryCatalog catalog = new InMemoryCatalog();
    private final HttpServer server;

    /** Serves tables below a folder, at a port of this machine that is free. */
    public CatalogServer(String warehouse, FileIO files) throws Exception {
        catalog.initialize("served", Map.of("warehouse", warehouse));
        Field kept = InMemoryCatalog.class.getDeclaredField("io"); // which keeps files in memory
        kept.setAccessible(true);
        kept.set(catalog, files);
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        server.createContext("/v1/", this::answer);
        server.setExecutor(Executors.newFixedThreadPool(8, each -> {
            Thread made = new Thread(each);
            made.setDaemon(true);
            return made;
        }));
        server.start();
    }

    public int port() {
        return server.getAddress().getPort();
    }

    /** The table of a name, for Java's own commits. */
    public BaseTable load(String name) {
        return (BaseTable) catalog.loadTable(TableIdentifier.parse(name));
    }

    public void stop() {
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            int status = 200;
            Object made;
            try {
                made = handled(exchange);
            } catch (RuntimeException error) {
                status = status(error);
                made = ErrorResponse.builder()
                        .responseCode(status)
                        .withType(error.getClass().getSimpleName())
                        .withMessage(error.getMessage())
                        .build();
            }
            byte[] body = made == null ? new byte[0] : RESTObjectMapper.mapper().writeValueAsBytes(made);
            boolean isEmpty = body.length == 0 || exchange.getRequestMethod().equals("HEAD");
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(made == null ? 204 : status, isEmpty ? -1 : body.length);
            if (!isEmpty) {
                exchange.getResponseBody().write(body);
            }
        }
    }

    /** What Iceberg's own server answers to each failure, by the specification of the catalog. */
    private static int status(RuntimeException error) {
        if (error instanceof CommitFailedException || error instanceof AlreadyExistsException) {
            return 409;
        } else if (error instanceof NoSuchTableException
                || error instanceof NoSuchNamespaceException) {
            return 404;
        } else if (error instanceof ValidationException
                || error instanceof IllegalArgumentException) {
            return 400;
        }
        return error instanceof UnsupportedOperationException ? 406 : 500;
    }

    private Object handled(HttpExchange exchange) throws IOException {
        String method = exchange.getRequestMethod();
        String path = exchange.getRequestURI().getRawPath().substring(SKIPPED);
        List<String> parts = List.of(path.split("/"));
        if (path.equals("config")) {
            return ConfigResponse.builder().build();
        }
        if (path.equals("namespaces")) {
            return method.equals("GET")
                    ? CatalogHandlers.listNamespaces(catalog, Namespace.empty())
                    : CatalogHandlers.createNamespace(
                            catalog, body(exchange, CreateNamespaceRequest.class));
        }
        Namespace space = Namespace.of(part(parts, 1).split("\u001f"));
        if (parts.size() == 2) {
            return CatalogHandlers.loadNamespace(catalog, space);
        }
        if (parts.size() == 3) {
            return method.equals("GET")
                    ? CatalogHandlers.listTables(catalog, space)
                    : CatalogHandlers.createTable(
                            catalog, space, body(exchange, CreateTableRequest.class));
        }
        TableIdentifier table = TableIdentifier.of(space, part(parts, 3));
        switch (method) {
            case "POST":
                return CatalogHandlers.updateTable(
                        catalog, table, body(exchange, UpdateTableRequest.class));
            case "DELETE":
                CatalogHandlers.dropTable(catalog, table);
                return null;
            default:
                return CatalogHandlers.loadTable(catalog, table, SnapshotMode.ALL);
        }
    }

    private static String part(List<String> parts, int at) {
        return URLDecoder.decode(parts.get(at), StandardCharsets.UTF_8);
    }

    private static <T> T body(HttpExchange exchange, Class<T> type) throws IOException {
        return RESTObjectMapper.mapper().readValue(exchange.getRequestBody(), type);
    }
}
