import Type from 'typebox'
import type { TaskFile, Tools } from '../feature.ts'
import { askAmazon } from './amazon.ts'
import { rekognitionImage } from './rekognition.ts'
import { replyReader } from './reply-reader.ts'

// https://docs.aws.amazon.com/rekognition/latest/dg/collections.html. Whose collection it is, is for the caller to know.

const readMade = replyReader(Type.Object({ StatusCode: Type.Integer() }))
const readIndexed = replyReader(
  Type.Object({ FaceRecords: Type.Array(Type.Object({ Face: Type.Object({ FaceId: Type.String() }) })) }),
)
const readRemoved = replyReader(Type.Object({ DeletedFaces: Type.Array(Type.String()) }))

export async function createCollection(tools: Tools, id: string): Promise<void> {
  await askAmazon(tools, 'rekognition', 'CreateCollection', { CollectionId: id }, readMade)
}

export async function deleteCollection(tools: Tools, id: string): Promise<void> {
  await askAmazon(tools, 'rekognition', 'DeleteCollection', { CollectionId: id }, readMade)
}

/** The names of the faces that the picture added: there may be several, or none. */
export async function addFaces(tools: Tools, id: string, picture: TaskFile): Promise<string[]> {
  const fields = { CollectionId: id, Image: await rekognitionImage(picture), DetectionAttributes: [] }
  const { FaceRecords } = await askAmazon(tools, 'rekognition', 'IndexFaces', fields, readIndexed)
  return FaceRecords.map(({ Face }) => Face.FaceId)
}

/** Whether it was there. */
export async function removeFace(tools: Tools, id: string, face: string): Promise<boolean> {
  const fields = { CollectionId: id, FaceIds: [face] }
  return (await askAmazon(tools, 'rekognition', 'DeleteFaces', fields, readRemoved)).DeletedFaces.includes(face)
}
