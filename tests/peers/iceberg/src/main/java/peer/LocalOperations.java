package peer;

import org.apache.iceberg.LocationProviders;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;

/** A table in a folder, of one writer: which metadata file is the newest is kept in memory. */
final class LocalOperations implements TableOperations {
    private final FileIO files = new LocalFiles();
    private final String folder;
    private TableMetadata current;
    private int version;

    LocalOperations(String folder) {
        this.folder = folder;
    }

    /** Takes over a table of another writer: its folder, and the newest of its metadata files. */
    LocalOperations(String folder, String place) {
        this.folder = folder;
        current = TableMetadataParser.read(files, place);
        String name = place.substring(place.lastIndexOf('/') + 1);
        version = Integer.parseInt(name.substring(1, name.indexOf('.')));
    }

    @Override
    public TableMetadata current() {
        return current;
    }

    @Override
    public TableMetadata refresh() {
        return current;
    }

    @Override
    public void commit(TableMetadata base, TableMetadata metadata) {
        if (base != current) {
            throw new CommitFailedException("not the newest metadata");
        }
        String place = metadataFileLocation("v" + ++version + ".metadata.json");
        TableMetadataParser.overwrite(metadata, files.newOutputFile(place));
        current = TableMetadataParser.read(files, place);
    }

    @Override
    public FileIO io() {
        return files;
    }

    @Override
    public String metadataFileLocation(String name) {
        return folder + "/metadata/" + name;
    }

    @Override
    public LocationProvider locationProvider() {
        return LocationProviders.locationsFor(folder, current.properties());
    }
}
