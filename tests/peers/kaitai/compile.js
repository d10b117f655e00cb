// node compile.js FOLDER OUT: compile every spec of FOLDER with the official compiler, and print
// what it refuses. Absolute imports are looked up in FOLDER/ks_path.
const fs = require("fs");
const path = require("path");
const compiler = require("kaitai-struct-compiler");
const yaml = require("js-yaml");

// A JavaScript number loses the last bits of a 64-bit integer; as a text the compiler keeps them.
const integer = yaml.types.int;
const exact = new yaml.Type("tag:yaml.org,2002:int", {
  kind: "scalar",
  resolve: integer.resolve,
  construct: (text) => {
    const number = integer.construct(text);
    return Number.isInteger(number) && Math.abs(number) > 0x7fffffff ? text : number;
  },
});
const schema = yaml.CORE_SCHEMA.extend({ implicit: [exact] });
const load = (file) => yaml.load(fs.readFileSync(file, "utf8"), { schema });

async function main(folder, out) {
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

main(process.argv[2], process.argv[3]);
