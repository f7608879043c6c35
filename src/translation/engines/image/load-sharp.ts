import { MissingPackage } from '../pool/missing-package.ts'

type SharpFunction = typeof import('sharp')['default']

/** The decoders that are needed; libvips has others that are not safe for untrusted files. */
const DECODERS = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Tiff', 'Heif']

let loaded: SharpFunction | undefined

/** Undefined if sharp is not installed and the caller can do without it. */
export async function loadSharp(mayBeMissing: boolean): Promise<SharpFunction | undefined> {
  loaded ??= await import('sharp').then(prepared, () => undefined)
  if (!loaded && !mayBeMissing) throw new MissingPackage('sharp')
  return loaded
}

/** One thread and no cache: the pool controls concurrency. */
function prepared({ default: sharp }: { default: SharpFunction }): SharpFunction {
  sharp.concurrency(1)
  sharp.cache(false)
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: DECODERS.map((name) => `VipsForeignLoad${name}Buffer`) })
  return sharp
}
