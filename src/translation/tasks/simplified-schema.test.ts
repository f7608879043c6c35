import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from '../../base/schema/type.ts'
import { freeObject, mapOf, optional, uuid, words } from '../../base/schema/fields.ts'
import { closedObject } from './closed-object.ts'
import { fileInput } from './feature.ts'
import { jsonSchema, simplifiedSchema } from './simplified-schema.ts'

test('every kind of field has its simple type', () => {
  const schema = closedObject({
    text: Type.String({ description: 'A text.' }),
    count: optional(Type.Integer({ minimum: 1 }), 'A count.'),
    share: Type.Number({ description: 'A share.' }),
    flag: Type.Boolean({ description: 'A flag.' }),
    kind: optional(words(['a', 'b']), 'A kind.'),
    id: uuid('An id.'),
    file: fileInput('A file.'),
    inner: closedObject({ note: optional(Type.String(), 'A note.') }, 'Things.'),
    list: Type.Array(closedObject({ name: Type.String({ description: 'A name.' }) }), { description: 'A list.' }),
    pairs: Type.Array(Type.Array(Type.String()), { description: 'Pairs.' }),
    either: Type.Array(Type.Union([fileInput('A file.'), freeObject()]), { description: 'Either.' }),
    settings: optional(freeObject(), 'Settings.'),
    scores: mapOf(Type.Number(), { description: 'Scores.' }),
    data: Type.Optional(Type.Unknown({ description: 'Data.' })),
  })
  const note = { name: 'note', type: 'string', required: false, description: 'A note.' }
  const name = { name: 'name', type: 'string', required: true, description: 'A name.' }
  assert.deepEqual(simplifiedSchema(schema), {
    fields: [
      { name: 'text', type: 'string', required: true, description: 'A text.' },
      { name: 'count', type: 'int', required: false, description: 'A count.' },
      { name: 'share', type: 'float', required: true, description: 'A share.' },
      { name: 'flag', type: 'bool', required: true, description: 'A flag.' },
      { name: 'kind', type: 'enum', required: false, description: 'A kind.', enum: ['a', 'b'] },
      { name: 'id', type: 'uuid', required: true, description: 'An id.' },
      { name: 'file', type: 'file_input', required: true, description: 'A file.' },
      { name: 'inner', type: 'object', required: true, description: 'Things.', fields: [note] },
      {
        name: 'list',
        type: 'array',
        required: true,
        description: 'A list.',
        items: { type: 'object', fields: [name] },
      },
      {
        name: 'pairs',
        type: 'array',
        required: true,
        description: 'Pairs.',
        items: { type: 'array', items: { type: 'string' } },
      },
      { name: 'either', type: 'array', required: true, description: 'Either.', items: { type: 'any' } },
      { name: 'settings', type: 'dict', required: false, description: 'Settings.' },
      { name: 'scores', type: 'dict', required: true, description: 'Scores.' },
      { name: 'data', type: 'any', required: false, description: 'Data.' },
    ],
  })
})

test('a JSON schema is plain and complete', () => {
  const schema = closedObject({ count: optional(Type.Integer({ minimum: 1 }), 'A count.', { default: 2 }) })
  assert.deepEqual(jsonSchema(schema), {
    type: 'object',
    additionalProperties: false,
    properties: {
      count: { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }], description: 'A count.', default: 2 },
    },
  })
})
