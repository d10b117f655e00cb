package peer;

import java.security.Key;
import java.util.HexFormat;
import javax.crypto.spec.SecretKeySpec;
import org.apache.hadoop.hbase.io.crypto.KeyProvider;

/** Hands out the one key that it was set up with, in hex, whatever the name. */
public final class MasterKey implements KeyProvider {
    private Key key;

    @Override
    public void init(String parameters) {
        key = new SecretKeySpec(HexFormat.of().parseHex(parameters), "AES");
    }

    @Override
    public Key getKey(String alias) {
        return key;
    }

    @Override
    public Key[] getKeys(String[] aliases) {
        Key[] keys = new Key[aliases.length];
        java.util.Arrays.fill(keys, key);
        return keys;
    }
}
