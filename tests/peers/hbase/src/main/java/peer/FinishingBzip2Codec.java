package peer;

import org.apache.hadoop.io.compress.BZip2Codec;
import org.apache.hadoop.io.compress.Compressor;
import org.apache.hadoop.io.compress.Decompressor;
import org.apache.hadoop.io.compress.bzip2.BZip2DummyCompressor;
import org.apache.hadoop.io.compress.bzip2.BZip2DummyDecompressor;

/** Hadoop's codec, whose place-holders refuse to say that they are finished. */
public final class FinishingBzip2Codec extends BZip2Codec {
    @Override
    public Class<? extends Compressor> getCompressorType() {
        return Finished.class;
    }

    @Override
    public Compressor createCompressor() {
        return new Finished();
    }

    @Override
    public Class<? extends Decompressor> getDecompressorType() {
        return Emptied.class;
    }

    @Override
    public Decompressor createDecompressor() {
        return new Emptied();
    }

    /** The streams are Hadoop's; nobody asks this one to compress. */
    public static final class Finished extends BZip2DummyCompressor {
        @Override
        public boolean finished() {
            return true;
        }
    }

    /** Nor this one to decompress. */
    public static final class Emptied extends BZip2DummyDecompressor {
        @Override
        public boolean finished() {
            return true;
        }
    }
}
