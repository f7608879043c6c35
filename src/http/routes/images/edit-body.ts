import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { ImageEditRequest } from '../../../contract/images.ts'
import { inBlocks } from '../../../base/bytes/in-blocks.ts'
import { problem } from '../../../contract/problems.ts'
import { validator } from '../../../base/schema/validator.ts'
import { toEditRequest } from '../../../endpoints/images/edit-request.ts'
import { nestedSpellingIssues } from '../../../calls/upstream/governed-names.ts'
import type { TempFiles } from '../../../calls/files/temp-files.ts'
import type { ImagesRequest } from '../../../endpoints/images/images.ts'
import { CALLER, ImageJsonReader } from '../../../calls/files/image-json-reader.ts'
import { COPIES_OF_BODY, MemoryGrowth } from '../../../calls/memory-budget.ts'
import type { CallServices } from '../../../calls/services/call-services.ts'
import { memoryLeaseOf, ownerOf } from '../../memory-lease.ts'
import { isRecord } from '../../../base/schema/record.ts'
import { withMember } from '../../../translation/json/parse-body.ts'
import { validationProblem } from '../../problems.ts'
import { readLarge } from '../../read-json.ts'
import { formBytes, discardForm } from '../../forms/upload-form.ts'

const edit = validator(ImageEditRequest)

/** Data URLs can be megabytes, so they go to temp files as they arrive, and the rest is parsed at the end. */
export async function readEditBody(
  request: FastifyRequest,
  services: Pick<CallServices, 'newId' | 'memory' | 'loopSlot' | 'nextBatch'>,
  tempFiles: TempFiles,
): Promise<ImagesRequest> {
  if (!(request.body instanceof Readable)) throw validationProblem(edit.issues(undefined, ['body']))
  try {
    const reader = new ImageJsonReader(tempFiles, services.newId(), CALLER)
    const memoryGrowth = new MemoryGrowth(memoryLeaseOf(request, services), COPIES_OF_BODY)
    for await (const chunk of inBlocks(bounded(request))) {
      await memoryGrowth.reach(reader.keptBytes + chunk.length)
      await reader.push(chunk)
      // A block that consists only of short strings takes as long as parsing it.
      await services.loopSlot(ownerOf(request))
    }
    const body = await readLarge(request, reader.end(), services)
    const { deployment: model } = request
    const { value } = model !== undefined && isRecord(body.value) ? withMember(body, 'model', model) : body
    const spelling = nestedSpellingIssues(value)
    if (!edit.check(value) || spelling.length > 0)
      throw validationProblem([...edit.issues(value, ['body']), ...spelling])
    return await toEditRequest(value, reader.longs, tempFiles)
  } catch (error) {
    throw discardForm(request, error)
  }
}

async function* bounded(request: FastifyRequest): AsyncGenerator<Uint8Array> {
  const { bodyLimit } = request.routeOptions
  if (Number(request.headers['content-length']) > bodyLimit) throw problem('too_large')
  let size = 0
  for await (const chunk of formBytes(request)) {
    size += chunk.length
    if (size > bodyLimit) throw problem('too_large')
    yield chunk
  }
}
