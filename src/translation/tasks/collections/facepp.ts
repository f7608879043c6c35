import Type from '../../../base/schema/type.ts'
import { askForJson } from '../http/ask-provider.ts'
import { declined } from '../http/declined.ts'
import { ignoreCode } from '../http/ignore-code.ts'
import { type Fields, formPayload } from '../http/payload.ts'
import { replyReader } from '../http/reply-reader.ts'
import type { TaskFile, Tools } from '../feature.ts'
import { FACEPP_PROOF, faceppImage } from '../vendors/facepp.ts'
import type { Collections } from './collections.ts'

// https://console.faceplusplus.com/documents/6329329 and the pages after it: facesets with names that we choose. An image is
// analyzed first. A faceset accepts five of the detected faces at a time. Face++ forgets a face without a faceset after three days.

const THERE_ALREADY = 'FACESET_EXIST'
const NOT_THERE = 'INVALID_OUTER_ID'
const FACES_AT_ONCE = 5

const readFound = replyReader(Type.Object({ faces: Type.Array(Type.Object({ face_token: Type.String() })) }))
const Refused = Type.Array(Type.Object({ face_token: Type.String(), reason: Type.Optional(Type.String()) }))
const readAdded = replyReader(Type.Object({ face_added: Type.Integer(), failure_detail: Type.Optional(Refused) }))
const readSet = replyReader(Type.Object({ outer_id: Type.String() }))

const collections: Collections = {
  async create(tools, id) {
    await ignoreCode(THERE_ALREADY, ask(tools, '/faceset/create', { fields: { outer_id: id } }, readSet))
  },
  async remove(tools, id) {
    await ignoreCode(NOT_THERE, ask(tools, '/faceset/delete', { fields: { outer_id: id, check_empty: 0 } }, readSet))
  },
  async addItems(tools, id, image) {
    const { faces } = await ask(tools, '/detect', { files: [faceppImage(image)] }, readFound)
    const tokens = faces.map(({ face_token }) => face_token)
    const added: string[] = []
    try {
      for (let start = 0; start < tokens.length; start += FACES_AT_ONCE)
        added.push(...(await addTokens(tools, id, tokens.slice(start, start + FACES_AT_ONCE))))
      return added
    } catch (error) {
      await takeBack(tools, id, added)
      throw error
    }
  },
  async removeItem(tools, id, face) {
    await ignoreCode(
      NOT_THERE,
      ask(tools, '/faceset/removeface', { fields: { outer_id: id, face_tokens: face } }, readSet),
    )
  },
}

export default collections

async function addTokens(tools: Tools, id: string, tokens: string[]): Promise<string[]> {
  const fields = { outer_id: id, face_tokens: tokens.join(',') }
  const { failure_detail = [] } = await ask(tools, '/faceset/addface', { fields }, readAdded)
  const refused = new Map(failure_detail.map(({ face_token, reason }) => [face_token, reason]))
  const added = tokens.filter((token) => !refused.has(token))
  if (added.length > 0) return added
  throw declined(
    `the collection accepted none of the faces (${[...refused.values()][0] ?? 'it is full'})`,
    422,
    'not_added',
  )
}

/** The caller gets an error and learns no ids, so it could not remove these faces later. */
async function takeBack(tools: Tools, id: string, added: readonly string[]): Promise<void> {
  if (added.length === 0) return
  const withoutDeadline = { ...tools, signal: new AbortController().signal }
  const fields = { outer_id: id, face_tokens: added.join(',') }
  await ask(withoutDeadline, '/faceset/removeface', { fields }, readSet).catch(() => undefined)
}

type Form = { fields?: Fields; files?: { field: string; file: TaskFile }[] }

async function ask<Reply>(
  tools: Tools,
  path: string,
  { fields = {}, files = [] }: Form,
  read: (value: unknown) => Reply,
): Promise<Reply> {
  return await askForJson(tools, { path, payload: await formPayload(fields, files), proof: FACEPP_PROOF }, read)
}
