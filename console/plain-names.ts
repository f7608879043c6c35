import { options, type VNode } from 'preact'

// Names are written by people and by callers. Characters that change the direction of the text around them can make one name
// look like another, so the console shows them as what they are. Copying and forms have the text as it is.

/** Embeddings, overrides and isolates of Unicode's bidirectional algorithm. Marks, which Arabic and Hebrew need, are not among them. */
const TURNING = /[\u202A-\u202E\u2066-\u2069]/gu
const SHOWN_ATTRIBUTES = ['title', 'aria-label', 'placeholder']

/** From now on, every text that is rendered is shown this way. */
export function showTurningCharacters(): void {
  const before = options.vnode
  options.vnode = (vnode) => {
    // A component gets its texts as they are: it may send them.
    if (typeof vnode.type === 'string') showIn(vnode)
    before?.(vnode)
  }
}

function showIn({ props }: VNode): void {
  const shown = props as Record<string, unknown>
  shown.children = visible(shown.children)
  for (const name of SHOWN_ATTRIBUTES) if (name in shown) shown[name] = visible(shown[name])
}

function visible(child: unknown): unknown {
  if (Array.isArray(child)) return child.map(visible)
  if (typeof child !== 'string' || child.search(TURNING) < 0) return child
  return child.replace(TURNING, (character) => `[U+${character.codePointAt(0)!.toString(16).toUpperCase()}]`)
}
