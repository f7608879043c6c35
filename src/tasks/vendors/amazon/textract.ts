import Type, { type Static } from '../../../schema/type.ts'
import type { TaskFile } from '../../feature.ts'
import { score } from '../../fields/score.ts'
import { acceptFile } from '../../inputs/accept-file.ts'
import { type Box, boxAt } from '../../results/box-of.ts'
import { base64Of } from '../../http/inline-file.ts'

// https://docs.aws.amazon.com/textract/latest/dg/API_Block.html. Confidence is from 0 to 100.

/** What Textract reads in one call: an image, or a document of one page. */
export const READ_AT_ONCE = {
  types: ['image/jpeg', 'image/png', 'application/pdf', 'image/tiff'],
  megabytes: 10,
  pages: 1,
}

export async function documentAtOnce(file: TaskFile): Promise<{ Bytes: string }> {
  return { Bytes: await base64Of(acceptFile(file, READ_AT_ONCE)) }
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
export function percent(confidence: number | undefined): number | null {
  return confidence === undefined ? null : score(confidence / 100)
}

export function blocksOf(blocks: readonly Block[], type: string): Block[] {
  return blocks.filter(({ BlockType }) => BlockType === type)
}

/** Finds the blocks that are part of another. */
export function partsFinder(blocks: readonly Block[]): (whole: Block) => Block[] {
  const byId = new Map(blocks.map((block) => [block.Id, block]))
  return ({ Relationships = [] }) => {
    const ids = Relationships.filter((one) => one.Type === 'CHILD').flatMap(({ Ids }) => Ids)
    return ids.flatMap((id) => byId.get(id) ?? [])
  }
}

/** Groups blocks by page, first page first. */
export function byPage(blocks: readonly Block[]): Block[][] {
  const pages = new Map<number, Block[]>()
  for (const block of blocks) {
    const page = pages.get(block.Page ?? 1) ?? []
    page.push(block)
    pages.set(block.Page ?? 1, page)
  }
  return [...pages].toSorted(([one], [other]) => one - other).map(([, page]) => page)
}
