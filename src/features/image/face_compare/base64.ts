import Type from '../../../contract/type.ts'
import { acceptFile } from '../../calls/accept-file.ts'
import { askForJson } from '../../calls/ask-provider.ts'
import { NOWHERE, pixelBox, Rectangle } from '../../calls/box-of.ts'
import { dataUrlOf } from '../../calls/inline-file.ts'
import { jsonPayload } from '../../calls/payload.ts'
import { pictureSize } from '../../calls/picture-size.ts'
import { replyReader } from '../../calls/reply-reader.ts'
import { adapter, type TaskFile } from '../../feature.ts'
import { BASE64_PROOF } from '../../makers/base64.ts'
import { score } from '../../score.ts'
import faceCompare from './feature.ts'

// https://base64.ai/api: face recognition. Places are pixels of the second picture.

const PICTURES = { types: ['image/jpeg', 'image/png'], megabytes: 20 }

const Match = Type.Object({ confidence: Type.Number({ minimum: 0, maximum: 1 }), ...Rectangle.properties })
const readReply = replyReader(Type.Object({ matches: Type.Array(Match) }))

export default adapter(faceCompare, async (task, tools) => {
  const { file1, file2 } = task.files
  const [document, query] = await Promise.all([inlined(file1!), inlined(file2!)])
  const own = { document, query, url: undefined, queryUrl: undefined }
  const payload = jsonPayload({ ...task.params, ...own })
  const original = await askForJson(tools, { path: '/face', payload, proof: BASE64_PROOF }, readReply)
  const size = pictureSize(await file2!.bytes())
  const items = original.matches.map((match) => ({
    confidence: score(match.confidence),
    bounding_box: pixelBox(match, size) ?? NOWHERE,
  }))
  return { output: { items }, original, units: 1 }
})

async function inlined(file: TaskFile): Promise<string> {
  return await dataUrlOf(acceptFile(file, PICTURES))
}
