import { posix } from 'node:path'
import { scanXml } from './scan-xml.ts'
import type { ZipArchive } from './zip-archive.ts'

type Relationship = { id: string; type: string; target: string }

/** The members that a part of a document refers to, by full name; '' stands for the document itself. */
export async function relationshipsOf(archive: ZipArchive, part: string): Promise<Relationship[]> {
  const { dir, base } = posix.parse(part)
  const bytes = await archive.read(posix.join(dir, '_rels', `${base}.rels`))
  const found: Relationship[] = []
  if (!bytes) return found
  scanXml(bytes, {
    open(name, attribute) {
      if (name !== 'Relationship' || attribute('TargetMode') === 'External') return
      const target = attribute('Target') ?? ''
      const member = target.startsWith('/') ? target.slice(1) : posix.join(dir, target)
      found.push({ id: attribute('Id') ?? '', type: kindOf(attribute('Type') ?? ''), target: member })
    },
  })
  return found
}

/** The last segment of a type URL; the rest differs between the two editions of the standard. */
function kindOf(type: string): string {
  return type.slice(type.lastIndexOf('/') + 1)
}
