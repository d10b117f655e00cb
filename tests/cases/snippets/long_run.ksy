# data: 0102030405060708090a0b0c
meta: {id: long_run, endian: le, encoding: UTF-8}
seq:
  - {id: first_of_many_numbers, type: u1}
  - {id: second_of_many_numbers, type: u1}
  - {id: third_of_many_numbers, type: u2}
  - {id: fourth_of_many_numbers, type: u4}
  - {id: fifth_of_many_numbers, type: u4}
