// Values that JSON may hold at any place and that surprise code which believes a type, as texts: some of them cannot be
// written by `JSON.stringify`, because they are negative zero, no finite number, or a member `__proto__`.

export const HOSTILE_VALUES: readonly string[] = [
  // `String`, templates and `join` throw for these, and so do `Number` and comparisons.
  '{"toString":1}',
  '{"valueOf":1,"toString":{}}',
  '[{"toString":1}]',
  '[[{"toString":null,"valueOf":null}]]',
  // These look like lists, promises, dates or errors.
  '{"length":1e9}',
  '{"length":-1,"0":"a"}',
  '{"then":1}',
  '{"toJSON":1}',
  '{"map":1,"filter":1,"slice":1}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '{"__proto__":{"polluted":1}}',
  '{"hasOwnProperty":1}',
  // Numbers that are not counted with, and texts of them.
  '1e308',
  '-1e308',
  '1e999',
  '-0',
  '-1',
  '0.1',
  '5e-324',
  '9007199254740993',
  '"NaN"',
  '"-1"',
  '"1e999"',
  // Texts that are no names and no plain text.
  '""',
  '"constructor"',
  '"__proto__"',
  '"toString"',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00x\\ud83d"',
  JSON.stringify('long '.repeat(4_000)),
  // What is there, but is nothing, or is nothing but depth.
  'null',
  'true',
  'false',
  '[]',
  '{}',
  '[null]',
  '[[]]',
  '[{}]',
  '{"":null}',
  nested(60),
]

function nested(depth: number): string {
  return `${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)}`
}
