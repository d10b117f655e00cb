meta:
  id: wav
  title: WAV sound
  file-extension: wav
  license: Apache-2.0
  encoding: ASCII
  endian: le
doc: |
  A RIFF file of the form WAVE: chunks, each padded to an even number of bytes
  that its length does not count.
doc-ref: https://www.mmsp.ece.mcgill.ca/Documents/AudioFormats/WAVE/WAVE.html
seq:
  - id: magic
    contents: RIFF
  - id: len_body
    type: u4
  - id: body
    type: body
    size: len_body
types:
  body:
    seq:
      - id: form
        contents: WAVE
      - id: chunks
        type: chunk
        repeat: eos
  chunk:
    seq:
      - id: id
        type: u4be
        enum: four_ccs
      - id: len
        type: u4
      - id: body
        size: len
        type:
          switch-on: id
          cases:
            four_ccs::fmt: format
            four_ccs::fact: fact
            four_ccs::list: list
            four_ccs::data: samples(_parent)
      - id: pad
        size: len % 2
        if: not _io.eof
  format:
    seq:
      - id: tag
        type: u2
        enum: tags
      - id: num_channels
        type: u2
        valid:
          min: 1
      - id: rate
        type: u4
      - id: bytes_per_second
        type: u4
      - id: len_block
        type: u2
      - id: bits_per_sample
        type: u2
      - id: len_extension
        type: u2
        if: not _io.eof
      - id: extension
        size: len_extension
        type: extension
        if: tag == tags::extensible and not _io.eof
    instances:
      len_sample:
        value: (bits_per_sample + 7) >> 3
    types:
      extension:
        seq:
          - id: valid_bits
            type: u2
          - id: speakers
            type: u4
          - id: guid
            type: guid
        types:
          guid:
            seq:
              - id: tag
                type: u2
                enum: tags
              - id: fixed
                contents: [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, "8", 0x9b, "q"]
  fact:
    seq:
      - id: num_frames
        type: u4
  list:
    seq:
      - id: form
        type: str
        size: 4
      - id: entries
        type: entry
        repeat: eos
        if: form == "INFO"
      - id: rest
        size-eos: true
        if: form != "INFO"
  entry:
    seq:
      - id: id
        type: str
        size: 4
      - id: len
        type: u4
      - id: text
        type: strz
        size: len
      - id: pad
        size: 1
        if: len % 2 == 1 and not _io.eof
  samples:
    params:
      - id: owner
        type: body
    seq:
      - id: frames
        type:
          switch-on: format.tag == tags::pcm
          cases:
            true: frame(format.num_channels, format.len_sample)
        repeat: expr
        repeat-expr: '_io.size / (format.len_block != 0 ? format.len_block : 1)'
        if: format.len_block > 0
    instances:
      format:
        value: owner.chunks[0].body.as<format>
  frame:
    params:
      - id: num_channels
        type: u2
      - id: len_sample
        type: u2
    seq:
      - id: channels
        type:
          switch-on: len_sample
          cases:
            1: u1
            2: s2
            4: s4
            _: packed_sample(len_sample)
        repeat: expr
        repeat-expr: num_channels
  packed_sample:
    params:
      - id: len
        type: u2
    seq:
      - id: bytes
        size: len
    instances:
      value:
        value: bytes[0] | bytes[1] << 8 | bytes.last << 16
        if: len == 3
enums:
  four_ccs:
    0x666d_7420: fmt
    0x6661_6374: fact
    0x4c49_5354: list
    0x6461_7461: data
  tags:
    1: pcm
    3: float
    0xfffe: extensible
