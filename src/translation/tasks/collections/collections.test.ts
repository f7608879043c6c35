import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileOf, shown, toolsAnswering } from '../http/fixtures/recording.ts'
import { formOf, linesOf, refusalAnswer } from '../vendors/fixtures/run-adapter.ts'
import amazon from './amazon.ts'
import { findCollections } from './collections.ts'
import facepp from './facepp.ts'

const IMAGE = fileOf('a.png', 'image/png', 'image')

test('collections are found by their provider only', async () => {
  assert.equal(await findCollections('amazon'), amazon)
  assert.equal(await findCollections('facepp'), facepp)
  assert.deepEqual(Object.keys((await findCollections('sandbox'))!).toSorted(), Object.keys(amazon).toSorted())
  assert.equal(await findCollections('../collections/amazon'), undefined)
})

test('Amazon: collections are made, filled, emptied and deleted', async () => {
  const FaceRecords = ['f1', 'f2'].map((FaceId) => ({ Face: { FaceId } }))
  const answers = [{ StatusCode: 200 }, { FaceRecords }, { DeletedFaces: ['f1'] }, { StatusCode: 200 }]
  const { tools, requests } = toolsAnswering({ answers: answers.map((json) => refusalAnswer(200, json)) })
  await amazon.create(tools, 'c1')
  assert.deepEqual(await amazon.addItems(tools, 'c1', IMAGE), ['f1', 'f2'])
  await amazon.removeItem(tools, 'c1', 'f1')
  await amazon.remove(tools, 'c1')
  assert.deepEqual(
    requests.map(({ headers }) => headers['x-amz-target']?.split('.')[1]),
    ['CreateCollection', 'IndexFaces', 'DeleteFaces', 'DeleteCollection'],
  )
  assert.deepEqual(shown(requests[2]!).body, { CollectionId: 'c1', FaceIds: ['f1'] })
})

test('Face++: a picture is looked at, and its faces are put into the set five at a time', async () => {
  const faces = Array.from({ length: 6 }, (_, index) => ({ face_token: `t${index}` }))
  const refusedOne = [{ face_token: 't1', reason: 'QUOTA_EXCEEDED' }]
  const answers = [{ faces }, { face_added: 4, failure_detail: refusedOne }, { face_added: 1, failure_detail: [] }]
  const { tools, requests } = toolsAnswering({ answers: answers.map((json) => refusalAnswer(200, json)) })
  assert.deepEqual(await facepp.addItems(tools, 'c1', IMAGE), ['t0', 't2', 't3', 't4', 't5'])
  assert.deepEqual(linesOf(requests), ['POST /detect', 'POST /faceset/addface', 'POST /faceset/addface'])
  const { api_key, ...form } = await formOf(requests, 1)
  assert.deepEqual(form, { api_secret: 'key-of-test', outer_id: 'c1', face_tokens: 't0,t1,t2,t3,t4' })
  assert.equal(api_key, 'user-of-test')
})

test('Face++: where some of the faces cannot be added, none is', async () => {
  const faces = Array.from({ length: 6 }, (_, index) => ({ face_token: `t${index}` }))
  const refused = refusalAnswer(403, { error_message: 'CONCURRENCY_LIMIT_EXCEEDED' })
  const [found, added, removed] = [{ faces }, { face_added: 5 }, { outer_id: 'c1' }].map((json) =>
    refusalAnswer(200, json),
  )
  const { tools, requests } = toolsAnswering({ answers: [found!, added!, refused, removed!] })
  await assert.rejects(facepp.addItems(tools, 'c1', IMAGE), { kind: 'rate_limited' })
  assert.equal(linesOf(requests)[3], 'POST /faceset/removeface')
  assert.equal((await formOf(requests, 3)).face_tokens, 't0,t1,t2,t3,t4')
})

test('Face++: sets are made under our id and deleted with what is in them', async () => {
  const { tools, requests } = toolsAnswering(refusalAnswer(200, { outer_id: 'c1' }))
  await facepp.create(tools, 'c1')
  await facepp.removeItem(tools, 'c1', 't1')
  await facepp.remove(tools, 'c1')
  assert.deepEqual(linesOf(requests), ['POST /faceset/create', 'POST /faceset/removeface', 'POST /faceset/delete'])
  assert.equal((await formOf(requests, 2)).check_empty, '0')
})

test('a picture without a face adds nothing; a full set says so; a picture of another kind is not sent', async () => {
  assert.deepEqual(await facepp.addItems(toolsAnswering(refusalAnswer(200, { faces: [] })).tools, 'c1', IMAGE), [])
  const full = { face_added: 0, failure_detail: [{ face_token: 't1', reason: 'QUOTA_EXCEEDED' }] }
  const answers = [refusalAnswer(200, { faces: [{ face_token: 't1' }] }), refusalAnswer(200, full)]
  await assert.rejects(facepp.addItems(toolsAnswering({ answers }).tools, 'c1', IMAGE), /QUOTA_EXCEEDED/)
  const { tools, requests } = toolsAnswering(refusalAnswer(200, {}))
  const gif = fileOf('a.gif', 'image/gif', 'x')
  for (const one of [amazon, facepp]) await assert.rejects(one.addItems(tools, 'c1', gif), { status: 415 })
  assert.equal(requests.length, 0)
})

test('what was done before is done; what is refused otherwise is told', async () => {
  const amazonSays = (type: string) => toolsAnswering(refusalAnswer(400, { __type: type, Message: 'no' })).tools
  await amazon.create(amazonSays('ResourceAlreadyExistsException'), 'c1')
  await amazon.remove(amazonSays('ResourceNotFoundException'), 'c1')
  await assert.rejects(amazon.remove(amazonSays('InvalidParameterException'), 'c1'), { kind: 'bad_request' })
  const faceppSays = (status: number, word: string) =>
    toolsAnswering(refusalAnswer(status, { error_message: word })).tools
  await facepp.create(faceppSays(400, 'FACESET_EXIST'), 'c1')
  await facepp.remove(faceppSays(400, 'INVALID_OUTER_ID'), 'c1')
  await assert.rejects(facepp.remove(faceppSays(403, 'CONCURRENCY_LIMIT_EXCEEDED'), 'c1'), { kind: 'rate_limited' })
  await assert.rejects(facepp.create(faceppSays(401, 'AUTHENTICATION_ERROR'), 'c1'), { kind: 'auth' })
})
