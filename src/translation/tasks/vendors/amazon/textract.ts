import Type, { type Static } from '../../../../base/schema/type.ts'
import { asBuffer } from '../../../../base/bytes/as-buffer.ts'
import type { TaskFile, Tools } from '../../feature.ts'
import { score } from '../../fields/score.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { type Box, boxAt } from '../../results/box-of.ts'
import { base64Of } from '../../http/inline-file.ts'

// https://docs.aws.amazon.com/textract/latest/dg/API_Block.html. Confidence is from 0 to 100.

/** What Textract reads in one call is an image or a document of one page; a longer document is sent page by page. */
export const READ_AT_ONCE = {
  types: ['image/jpeg', 'image/png', 'application/pdf', 'image/tiff'],
  megabytes: 10,
  pages: 20,
}

/** Reads the pages of a file one after the other, each as a document of its own. */
export async function readPages<Reply>(
  tools: Tools,
  file: TaskFile,
  read: (Document: { Bytes: string }) => Promise<Reply>,
  pages = READ_AT_ONCE.pages,
): Promise<Reply[]> {
  acceptFile(file, { ...READ_AT_ONCE, pages })
  const count = file.pages ?? 1
  if (count === 1) return [await read({ Bytes: await base64Of(file) })]
  const bytes = await file.bytes()
  const replies: Reply[] = []
  for (let page = 1; page <= count; page++) {
    const single = await tools.engine('pdf_page', { bytes, page })
    replies.push(await read({ Bytes: asBuffer(single.bytes).toString('base64') }))
  }
  return replies
}

const Side = Type.Number()
export const AmazonBox = Type.Object({ Left: Side, Top: Side, Width: Side, Height: Side })
const Count = Type.Optional(Type.Integer())

export const Block = Type.Object({
  BlockType: Type.String(),
  Id: Type.String(),
  Text: Type.Optional(Type.String()),
  Confidence: Type.Optional(Type.Number()),
  Geometry: Type.Optional(Type.Object({ BoundingBox: AmazonBox })),
  Relationships: Type.Optional(Type.Array(Type.Object({ Type: Type.String(), Ids: Type.Array(Type.String()) }))),
  EntityTypes: Type.Optional(Type.Array(Type.String())),
  Page: Count,
  RowIndex: Count,
  ColumnIndex: Count,
  RowSpan: Count,
  ColumnSpan: Count,
})

export const Blocks = Type.Array(Block)
export type Block = Static<typeof Block>

export function amazonBox({ Left, Top, Width, Height }: Static<typeof AmazonBox>): Box {
  return boxAt(Left, Top, Width, Height)
}

/** A confidence from 0 to 100, as a fraction. */
export function fractionOfPercent(confidence: number | undefined): number | null {
  return confidence === undefined ? null : score(confidence / 100)
}

export function blocksOf(blocks: readonly Block[], type: string): Block[] {
  return blocks.filter(({ BlockType }) => BlockType === type)
}

export type PartsOf = (whole: Block, relation?: 'CHILD' | 'MERGED_CELL') => Block[]

/** Finds the blocks that are part of another. */
export function partsFinder(blocks: readonly Block[]): PartsOf {
  const byId = new Map(blocks.map((block) => [block.Id, block]))
  return ({ Relationships = [] }, relation = 'CHILD') => {
    const ids = Relationships.filter((one) => one.Type === relation).flatMap(({ Ids }) => Ids)
    return ids.flatMap((id) => byId.get(id) ?? [])
  }
}

/** Groups blocks by page; a page without any is empty. */
export function byPage(blocks: readonly Block[], pages: number): Block[][] {
  const grouped = Map.groupBy(blocks, ({ Page = 1 }) => Page)
  return Array.from({ length: pages }, (_, index) => grouped.get(index + 1) ?? [])
}
