package peer;

import org.apache.iceberg.Files;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;

/** Files of this machine, without Hadoop. */
public final class LocalFiles implements FileIO {
    @Override
    public InputFile newInputFile(String path) {
        return Files.localInput(path);
    }

    @Override
    public OutputFile newOutputFile(String path) {
        return Files.localOutput(path);
    }

    @Override
    public void deleteFile(String path) {
        new java.io.File(path).delete();
    }
}
