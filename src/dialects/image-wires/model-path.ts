import { problem } from '../../contract/problems.ts'
import { modelInPath } from '../model-in-path.ts'

/** A name with slashes, as a path of its own: no part of it may lead upwards. */
export function modelPath(model: string): string {
  return model.split('/').map(modelStep).join('/')
}

/** A name as one step of a path. */
export function modelStep(model: string): string {
  if (/^\.*$/.test(model)) throw problem('model_not_found')
  return modelInPath(model)
}
