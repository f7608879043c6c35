import { problem } from '../../contract/problems.ts'
import { modelInPath } from '../model-in-path.ts'

/** A name with slashes, as a path of its own: no part of it may lead upwards. */
export function modelPath(model: string): string {
  const parts = model.split('/')
  if (parts.some((part) => /^\.*$/.test(part))) throw problem('model_not_found')
  return parts.map(modelInPath).join('/')
}
