import { nameOf, type PdfDictionary, type PdfValue, referenceOf } from './pdf-reader.ts'

// The pages of a document form a tree. Its nodes are counted one by one, because the number that a node claims (`/Count`)
// can be anything.

const MAX_NODES = 200_000
const MAX_LINKS = 1_000_000

/** The tree is too large, so the number of pages is reported as unknown. */
export class PdfTooMuch extends Error {}

type Node = 'page' | { kids: number[] } | { kidsIn: number }

export class PdfTree {
  /** The last root in the file counts: an update is appended, and replaces what it repeats. */
  #root: number | undefined
  readonly #nodes = new Map<number, Node>()
  /** Lists of references that are objects of their own. A node may have its kids there. */
  readonly #lists = new Map<number, number[]>()
  #links = 0

  add(object: number, value: PdfValue): void {
    this.#nodes.delete(object)
    this.#lists.delete(object)
    if (value instanceof Map) this.#addDictionary(object, value)
    else if (Array.isArray(value)) this.#addList(object, value)
    if (this.#nodes.size + this.#lists.size > MAX_NODES) throw new PdfTooMuch()
  }

  /** Returns null if the tree is incomplete, or not a tree. */
  countPages(): number | null {
    const ahead = [this.#root]
    const seen = new Set<number>()
    let pages = 0
    for (let object = ahead.pop(); object !== undefined; object = ahead.pop()) {
      const node = this.#nodes.get(object)
      if (node === 'page') pages++
      else if (!node || seen.has(object)) return null
      else for (const kid of this.#kidsOf(node)) ahead.push(kid)
      seen.add(object)
      // Nodes may share a list of kids, so there may be many more of them than objects in the file.
      if (pages + ahead.length > MAX_LINKS) return null
    }
    return pages > 0 ? pages : null
  }

  #addDictionary(object: number, dictionary: PdfDictionary): void {
    const type = nameOf(dictionary.get('Type'))
    if (type === 'Catalog') this.#root = referenceOf(dictionary.get('Pages'))
    if (type === 'Page') this.#nodes.set(object, 'page')
    if (type !== 'Pages') return
    const kids = dictionary.get('Kids')
    const kidsIn = referenceOf(kids)
    this.#nodes.set(object, kidsIn === undefined ? { kids: this.#references(kids) } : { kidsIn })
  }

  #addList(object: number, list: PdfValue[]): void {
    const onlyReferences = list.length > 0 && list.every((item) => referenceOf(item) !== undefined)
    if (onlyReferences) this.#lists.set(object, this.#references(list))
  }

  #references(list: PdfValue | undefined): number[] {
    if (!Array.isArray(list)) return []
    this.#links += list.length
    if (this.#links > MAX_LINKS) throw new PdfTooMuch()
    return list.map((item) => referenceOf(item) ?? -1)
  }

  #kidsOf(node: Exclude<Node, 'page'>): number[] {
    return 'kids' in node ? node.kids : (this.#lists.get(node.kidsIn) ?? [-1])
  }
}
