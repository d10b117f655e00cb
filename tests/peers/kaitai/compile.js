// node compile.js [--read-write] FOLDER OUT [FOLDER OUT ...]: compile every spec of each FOLDER with
// the official compiler, and print what it refuses. Absolute imports are looked up in FOLDER/ks_path.
const fs = require("fs");
const Module = require("module");
const path = require("path");
const yaml = require("js-yaml");

// A JavaScript number loses the last bits of a 64-bit integer; as a text the compiler keeps them.
// Digits may have _ between them, as YAML 1.1 and the compiler's own loader on the JVM have it.
const integer = yaml.types.int;
const plain = (text) => (/^[-+]?[0-9][0-9a-z_]*$/i.test(text ?? "") ? text.replaceAll("_", "") : text);
const exact = new yaml.Type("tag:yaml.org,2002:int", {
  kind: "scalar",
  resolve: (text) => integer.resolve(plain(text)),
  construct: (written) => {
    const text = plain(written);
    const number = integer.construct(text);
    return Number.isInteger(number) && Math.abs(number) > 0x7fffffff ? text : number;
  },
});
const schema = yaml.CORE_SCHEMA.extend({ implicit: [exact] });
const load = (file) => yaml.load(fs.readFileSync(file, "utf8"), { schema });

// The package gives no way to ask for the compiler's read-write mode, which its command line has
// (`--read-write`: no reading by itself, no substreams without a copy). As it is loaded, the
// settings that it makes are therefore changed: autoRead, readStoresPos, opaqueTypes,
// zeroCopySubstream, readWrite.
function loaded(readWrite) {
  const name = require.resolve("kaitai-struct-compiler");
  if (!readWrite) return require(name);
  const settings = "RuntimeConfig((!debug), debug, false, true, false,";
  const parts = fs.readFileSync(name, "utf8").split(settings);
  if (parts.length !== 2) throw new Error("this compiler makes its settings in another way");
  const changed = new Module(name, module);
  changed.paths = module.paths;
  changed._compile(parts.join("RuntimeConfig(false, debug, false, false, true,"), name);
  return changed.exports;
}

async function main(places) {
  const readWrite = places[0] === "--read-write";
  const compiler = loaded(readWrite);
  for (let at = readWrite ? 1 : 0; at < places.length; at += 2) {
    await compileAll(compiler, places[at], places[at + 1]);
  }
}

async function compileAll(compiler, folder, out) {
  for (const name of fs.readdirSync(folder).sort()) {
    if (!name.endsWith(".ksy")) continue;
    const importer = {
      importYaml: async (spec, mode) =>
        load(path.join(folder, mode === "abs" ? "ks_path" : "", `${spec}.ksy`)),
    };
    try {
      const files = await compiler.compile("python", load(path.join(folder, name)), importer, false);
      for (const [file, text] of Object.entries(files)) fs.writeFileSync(path.join(out, file), text);
    } catch (error) {
      console.log(`${name}: ${error}`);
    }
  }
}

main(process.argv.slice(2));
