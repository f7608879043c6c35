import { MissingPackage } from '../pool/missing-package.ts'

type SharpFunction = typeof import('sharp')['default']

/** Decoders that are needed; libvips has others that were never meant for files of strangers. */
const DECODERS = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Tiff', 'Heif']

let loaded: SharpFunction | undefined

/** Undefined where it is not installed and the caller can do without it. */
export async function loadSharp(mayBeMissing: boolean): Promise<SharpFunction | undefined> {
  loaded ??= await import('sharp').then(prepared, () => undefined)
  if (!loaded && !mayBeMissing) throw new MissingPackage('sharp')
  return loaded
}

/** One thread and no memory of past pictures: the pool decides how much is done at a time. */
function prepared({ default: sharp }: { default: SharpFunction }): SharpFunction {
  sharp.concurrency(1)
  sharp.cache(false)
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: DECODERS.map((name) => `VipsForeignLoad${name}Buffer`) })
  return sharp
}
