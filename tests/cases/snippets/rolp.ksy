# data: 0501020304
meta: {id: rolp, endian: le, encoding: UTF-8}
seq:
  - {id: k, type: u1}
  - {id: z, size: 2, process: rol(3)}
  - {id: y, size: 1, process: ror(k % 8)}
