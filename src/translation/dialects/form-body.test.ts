import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formBody, partsOf } from './form-body.ts'

const read = ({ body, contentType }: ReturnType<typeof formBody>) =>
  new Response(body as Uint8Array<ArrayBuffer>, { headers: { 'content-type': contentType } }).formData()

test('a form reads as it was written, files and odd names included', async () => {
  const bytes = new Uint8Array([13, 10, 45, 45, 0, 255])
  const form = await read(formBody([...partsOf({ a: 'ä', n: 2, o: { x: [1] }, no: undefined }), ['f', file(bytes)]]))
  assert.deepEqual([form.get('a'), form.get('n'), form.get('o'), form.has('no')], ['ä', '2', '{"x":[1]}', false])
  const found = form.get('f') as File
  assert.deepEqual([found.name, found.type], ['fox.png', 'image/png'])
  assert.deepEqual(new Uint8Array(await found.arrayBuffer()), bytes)
})

test('no name, type or text can end its part and begin another', async () => {
  const attack = 'x"\r\n\r\n--gatehouse\r\ncontent-disposition: form-data; name="model"\r\n\r\nother'
  const odd = { ...file(new Uint8Array(1)), name: attack, mediaType: 'image/png\r\nx: y' }
  const form = await read(
    formBody([
      [attack, attack],
      ['f', odd],
    ] as const),
  )
  assert.equal(form.has('model'), false)
  assert.deepEqual((form.get('f') as File).type, 'application/octet-stream')
})

test('the same content makes the same form, another one another boundary', () => {
  assert.deepEqual(formBody([['a', 'b']]), formBody([['a', 'b']]))
  assert.notEqual(formBody([['a', 'b']]).contentType, formBody([['a', 'c']]).contentType)
})

function file(bytes: Uint8Array) {
  return { bytes, mediaType: 'image/png', name: 'fox.png' }
}
