import Type from '../../../../base/schema/type.ts'
import type { TaskFile, Tools } from '../../feature.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { askAmazon } from './client.ts'
import type { Fields } from '../../http/payload.ts'
import { abandoned } from '../../http/refusal.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { type Staged, unstage, withStaged } from '../../http/staging.ts'
import { type Block, Blocks, READ_AT_ONCE } from './textract.ts'

// https://docs.aws.amazon.com/textract/latest/dg/async.html: documents of many pages, from a bucket.

const READ_LATER = { types: READ_AT_ONCE.types, megabytes: 500, pages: 3_000 }
const MAX_BLOCKS = 1_000
/** Pages are made of this number, so it must not be larger than that of any document that is accepted. */
const PageCount = Type.Integer({ minimum: 1, maximum: READ_LATER.pages })

type TextractKind = 'DocumentTextDetection' | 'DocumentAnalysis'
export type TextractTicket = { job: string; file: Staged }

const readStart = replyReader(Type.Object({ JobId: Type.String() }))
const readState = replyReader(
  Type.Object({
    JobStatus: Type.String(),
    StatusMessage: Type.Optional(Type.String()),
    DocumentMetadata: Type.Optional(Type.Object({ Pages: PageCount })),
    Blocks: Type.Optional(Blocks),
    NextToken: Type.Optional(Type.String()),
  }),
)

export async function startTextract(
  tools: Tools,
  kind: TextractKind,
  inputFile: TaskFile,
  more: Fields,
): Promise<TextractTicket> {
  return await withStaged(tools, 's3', acceptFile(inputFile, READ_LATER), async (file) => {
    const DocumentLocation = { S3Object: { Bucket: file.bucket, Name: file.name } }
    const fields = { ...more, DocumentLocation }
    return { job: (await askAmazon(tools, `textract.Start${kind}`, fields, readStart)).JobId, file }
  })
}

/** A job cannot be stopped, but its file can be deleted. */
export async function dropTextract({ file }: TextractTicket, tools: Tools): Promise<void> {
  await unstage(tools, file)
}

export async function pollTextract(tools: Tools, kind: TextractKind, { job, file }: TextractTicket) {
  const ask = (more: Fields) =>
    askAmazon(tools, `textract.Get${kind}`, { JobId: job, MaxResults: MAX_BLOCKS, ...more }, readState)
  const first = await ask({})
  if (first.JobStatus === 'IN_PROGRESS') return 'pending'
  await unstage(tools, file)
  if (first.JobStatus === 'FAILED') throw abandoned(tools, 'job_failed', first.StatusMessage)
  const blocks: Block[] = [...(first.Blocks ?? [])]
  for (let next = first.NextToken; next; ) {
    const more = await ask({ NextToken: next })
    for (const block of more.Blocks ?? []) blocks.push(block)
    next = more.NextToken
  }
  return { blocks, pages: first.DocumentMetadata?.Pages ?? 1 }
}
