import Type from '../../../../base/schema/type.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { NOWHERE, pixelBox, Rectangle } from '../../results/box-of.ts'
import { dataUrlOf } from '../../http/inline-file.ts'
import { jsonPayload } from '../../http/payload.ts'
import { pixelSize } from '../../inputs/pixel-size.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter, type TaskFile } from '../../feature.ts'
import { BASE64_PROOF } from '../../vendors/base64.ts'
import { ReportedScore, score } from '../../fields/score.ts'
import faceCompare from './feature.ts'

// https://base64.ai/api: face recognition. Positions are pixels of the second image.

const IMAGE_TYPES = { types: ['image/jpeg', 'image/png'], megabytes: 20 }

const Match = Type.Object({ confidence: ReportedScore, ...Rectangle.properties })
const readReply = replyReader(Type.Object({ matches: Type.Array(Match) }))

export default adapter(faceCompare, async (task, tools) => {
  const { file1, file2 } = task.files
  const [document, query] = await Promise.all([inlined(file1!), inlined(file2!)])
  const own = { document, query, url: undefined, queryUrl: undefined }
  const payload = jsonPayload({ ...task.params, ...own })
  const original = await askForJson(tools, { path: '/face', payload, proof: BASE64_PROOF }, readReply)
  const size = pixelSize(await file2!.bytes())
  const items = original.matches.map((match) => ({
    confidence: score(match.confidence),
    bounding_box: pixelBox(match, size) ?? NOWHERE,
  }))
  return { output: { items }, original, units: 1 }
})

async function inlined(file: TaskFile): Promise<string> {
  return await dataUrlOf(acceptFile(file, IMAGE_TYPES))
}
