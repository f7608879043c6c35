import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { ImageEditRequest } from '../../../contract/images.ts'
import { inBlocks } from '../../../bytes/in-blocks.ts'
import { problem } from '../../../contract/problems.ts'
import { validator } from '../../../contract/validator.ts'
import { askedEdit } from '../../../core/asked-edit.ts'
import { spellingFaults } from '../../../core/governed-names.ts'
import type { ImageShelf } from '../../../core/image-shelf.ts'
import type { AskedImages } from '../../../core/images.ts'
import { CALLER, LeanJson } from '../../../core/lean-json.ts'
import { COPIES_OF_BODY, Growth } from '../../../core/memory-budget.ts'
import type { Outside } from '../../../core/outside.ts'
import { leaseOf, ownerOf } from '../../memory-lease.ts'
import { validationProblem } from '../../problems.ts'
import { readLarge } from '../../read-json.ts'
import { formBytes, leftForm } from '../../upload-form.ts'

const edit = validator(ImageEditRequest)

/** Data URLs are megabytes: they are laid on the shelf as they arrive, and the rest is parsed when all has come. */
export async function readEditBody(request: FastifyRequest, outside: Outside, shelf: ImageShelf): Promise<AskedImages> {
  if (!(request.body instanceof Readable)) throw validationProblem(edit.faults(undefined, ['body']))
  try {
    const lean = new LeanJson(shelf, outside.newId(), CALLER)
    const growth = new Growth(leaseOf(request, outside), COPIES_OF_BODY)
    for await (const chunk of inBlocks(bounded(request))) {
      await growth.reach(lean.keptBytes + chunk.length)
      await lean.push(chunk)
      // A block of nothing but short texts takes as long as parsing it does.
      await outside.ownTurn(ownerOf(request))
    }
    const { value } = await readLarge(request, lean.end(), outside)
    const spelling = spellingFaults(value)
    if (!edit.check(value) || spelling.length > 0)
      throw validationProblem([...edit.faults(value, ['body']), ...spelling])
    return await askedEdit(value, lean.longs, shelf)
  } catch (error) {
    throw leftForm(request, error)
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
