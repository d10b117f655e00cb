# data: 016162|0261|036162|04616263
meta: {id: wide_union, endian: le, encoding: UTF-8}
doc: A switch of so many types that its annotation takes a line for each.
seq:
  - {id: kind_of_what_follows, type: u1}
  - id: body_of_this_record
    type:
      switch-on: kind_of_what_follows
      cases:
        1: first_of_the_records
        2: second_of_the_records
        3: third_of_the_records
        4: fourth_of_the_records(kind_of_what_follows)
types:
  first_of_the_records: {seq: [{id: x, type: u1}]}
  second_of_the_records: {seq: [{id: x, type: u1}]}
  third_of_the_records: {seq: [{id: x, type: u2}]}
  fourth_of_the_records: {params: [{id: n, type: u1}], seq: [{id: x, size: n - 1}]}
instances:
  same: {value: body_of_this_record}
  again: {pos: 1, type: {switch-on: kind_of_what_follows, cases: {1: first_of_the_records, 2: second_of_the_records, 3: third_of_the_records, 4: fourth_of_the_records(3)}}}
