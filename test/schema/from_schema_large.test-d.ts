/** The compiler on schemas of the size that real tools have: 60 members, 12 levels deep, and definitions that share each other. */
import type { Static } from "@sinclair/typebox"
import { FromSchema, type TFromSchema } from "../../src/schema.js"

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
declare function same<A, B>(equal: Equal<A, B>): void

interface File {
  name: string
  size?: number
}

const article = FromSchema({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: {
    title: { type: "string" },
    body: { type: "string" },
    language: { type: "string" },
    slug: { type: "string" },
    summary: { type: "string" },
    authorId: { type: "integer" },
    editorId: { type: "integer" },
    rating: { type: "number" },
    published: { type: "boolean" },
    archived: { type: "boolean" },
    createdAt: { type: "string" },
    updatedAt: { type: "string" },
    publishedAt: { type: ["string", "null"] },
    expiresAt: { type: ["string", "null"] },
    canonicalUrl: { type: ["string", "null"] },
    wordCount: { type: "integer" },
    readingMinutes: { type: "number" },
    commentsOpen: { type: "boolean" },
    shareImage: { type: ["string", "null"] },
    shareText: { type: ["string", "null"] },
    status: { type: "string", enum: ["draft", "review", "published"] },
    visibility: { enum: ["public", "private"] },
    tags: { type: "array", items: { type: "string" } },
    keywords: { type: "array", items: { type: "string" } },
    reviewers: { type: "array", items: { type: "integer" } },
    relatedIds: { type: "array", items: { type: "integer" } },
    attachments: { type: "array", items: { $ref: "#/$defs/file" } },
    links: { type: "array", items: { $ref: "#/$defs/file" } },
    metadata: { type: "object", additionalProperties: { type: "string" } },
    counters: { type: "object", additionalProperties: { type: "number" } },
    previousTitle: { type: "string" },
    previousBody: { type: "string" },
    previousLanguage: { type: "string" },
    previousSlug: { type: "string" },
    previousSummary: { type: "string" },
    previousAuthorId: { type: "integer" },
    previousEditorId: { type: "integer" },
    previousRating: { type: "number" },
    previousPublished: { type: "boolean" },
    previousArchived: { type: "boolean" },
    previousCreatedAt: { type: "string" },
    previousUpdatedAt: { type: "string" },
    previousPublishedAt: { type: ["string", "null"] },
    previousExpiresAt: { type: ["string", "null"] },
    previousCanonicalUrl: { type: ["string", "null"] },
    previousWordCount: { type: "integer" },
    previousReadingMinutes: { type: "number" },
    previousCommentsOpen: { type: "boolean" },
    previousShareImage: { type: ["string", "null"] },
    previousShareText: { type: ["string", "null"] },
    previousStatus: { type: "string", enum: ["draft", "review", "published"] },
    previousVisibility: { enum: ["public", "private"] },
    previousTags: { type: "array", items: { type: "string" } },
    previousKeywords: { type: "array", items: { type: "string" } },
    previousReviewers: { type: "array", items: { type: "integer" } },
    previousRelatedIds: { type: "array", items: { type: "integer" } },
    previousAttachments: { type: "array", items: { $ref: "#/$defs/file" } },
    previousLinks: { type: "array", items: { $ref: "#/$defs/file" } },
    previousMetadata: { type: "object", additionalProperties: { type: "string" } },
    previousCounters: { type: "object", additionalProperties: { type: "number" } },
  },
  required: ["title", "slug", "editorId", "archived", "publishedAt", "wordCount", "shareImage", "visibility", "reviewers", "links", "previousTitle", "previousSlug", "previousEditorId", "previousArchived", "previousPublishedAt", "previousWordCount", "previousShareImage", "previousVisibility", "previousReviewers", "previousLinks"],
  additionalProperties: false,
  $defs: {
    file: { type: "object", properties: { name: { type: "string" }, size: { type: "integer" } }, required: ["name"] },
  },
})

interface Article {
  title: string
  body?: string
  language?: string
  slug: string
  summary?: string
  authorId?: number
  editorId: number
  rating?: number
  published?: boolean
  archived: boolean
  createdAt?: string
  updatedAt?: string
  publishedAt: string | null
  expiresAt?: string | null
  canonicalUrl?: string | null
  wordCount: number
  readingMinutes?: number
  commentsOpen?: boolean
  shareImage: string | null
  shareText?: string | null
  status?: "draft" | "review" | "published"
  visibility: "public" | "private"
  tags?: string[]
  keywords?: string[]
  reviewers: number[]
  relatedIds?: number[]
  attachments?: File[]
  links: File[]
  metadata?: { [key: string]: string }
  counters?: { [key: string]: number }
  previousTitle: string
  previousBody?: string
  previousLanguage?: string
  previousSlug: string
  previousSummary?: string
  previousAuthorId?: number
  previousEditorId: number
  previousRating?: number
  previousPublished?: boolean
  previousArchived: boolean
  previousCreatedAt?: string
  previousUpdatedAt?: string
  previousPublishedAt: string | null
  previousExpiresAt?: string | null
  previousCanonicalUrl?: string | null
  previousWordCount: number
  previousReadingMinutes?: number
  previousCommentsOpen?: boolean
  previousShareImage: string | null
  previousShareText?: string | null
  previousStatus?: "draft" | "review" | "published"
  previousVisibility: "public" | "private"
  previousTags?: string[]
  previousKeywords?: string[]
  previousReviewers: number[]
  previousRelatedIds?: number[]
  previousAttachments?: File[]
  previousLinks: File[]
  previousMetadata?: { [key: string]: string }
  previousCounters?: { [key: string]: number }
}

same<keyof Static<typeof article>, keyof Article>(true)
declare const one: Static<typeof article>
export const asArticle: Article = one
declare const other: Article
export const asStatic: Static<typeof article> = other
// @ts-expect-error the title is required
export const noTitle: Static<typeof article> = { ...other, title: undefined }
// @ts-expect-error a rating is a number
one.rating = "5"

const deep = FromSchema({
  type: "object",
  required: ["a"],
  properties: {
    a: { type: "object", required: ["a"], properties: { a: { type: "object", required: ["a"], properties: { a: { type: "object", required: ["a"], properties: { a: { type: "object", required: ["a"], properties: { a: { type: "object", required: ["a"], properties: { a: { type: "object", required: ["a"], properties: { a: { type: "object", required: ["a"], properties: { a: { type: "object", required: ["a"], properties: { a: { type: "object", required: ["a"], properties: { a: { type: "object", required: ["a"], properties: { a: { type: "object", required: ["a"], properties: { a: { type: "array", items: { type: "object", properties: { leaf: { const: 1 } }, required: ["leaf"] } } } } } } } } } } } } } } } } } } } } } } } },
  },
})
same<Static<typeof deep>["a"]["a"]["a"]["a"]["a"]["a"]["a"]["a"]["a"]["a"]["a"]["a"][number]["leaf"], 1>(true)
// @ts-expect-error the leaf is 1
same<Static<typeof deep>["a"]["a"]["a"]["a"]["a"]["a"]["a"]["a"]["a"]["a"]["a"]["a"][number]["leaf"], 2>(true)

/** Forty definitions, each of which mentions the next one twice: 2^40 paths, forty types. */
type Shared = {
  $ref: "#/$defs/d0"
  $defs: {
    d0: { type: "object"; properties: { left: { $ref: "#/$defs/d1" }; right: { $ref: "#/$defs/d1" } }; required: ["left", "right"] }
    d1: { type: "object"; properties: { left: { $ref: "#/$defs/d2" }; right: { $ref: "#/$defs/d2" } }; required: ["left", "right"] }
    d2: { type: "object"; properties: { left: { $ref: "#/$defs/d3" }; right: { $ref: "#/$defs/d3" } }; required: ["left", "right"] }
    d3: { type: "object"; properties: { left: { $ref: "#/$defs/d4" }; right: { $ref: "#/$defs/d4" } }; required: ["left", "right"] }
    d4: { type: "object"; properties: { left: { $ref: "#/$defs/d5" }; right: { $ref: "#/$defs/d5" } }; required: ["left", "right"] }
    d5: { type: "object"; properties: { left: { $ref: "#/$defs/d6" }; right: { $ref: "#/$defs/d6" } }; required: ["left", "right"] }
    d6: { type: "object"; properties: { left: { $ref: "#/$defs/d7" }; right: { $ref: "#/$defs/d7" } }; required: ["left", "right"] }
    d7: { type: "object"; properties: { left: { $ref: "#/$defs/d8" }; right: { $ref: "#/$defs/d8" } }; required: ["left", "right"] }
    d8: { type: "object"; properties: { left: { $ref: "#/$defs/d9" }; right: { $ref: "#/$defs/d9" } }; required: ["left", "right"] }
    d9: { type: "object"; properties: { left: { $ref: "#/$defs/d10" }; right: { $ref: "#/$defs/d10" } }; required: ["left", "right"] }
    d10: { type: "object"; properties: { left: { $ref: "#/$defs/d11" }; right: { $ref: "#/$defs/d11" } }; required: ["left", "right"] }
    d11: { type: "object"; properties: { left: { $ref: "#/$defs/d12" }; right: { $ref: "#/$defs/d12" } }; required: ["left", "right"] }
    d12: { type: "object"; properties: { left: { $ref: "#/$defs/d13" }; right: { $ref: "#/$defs/d13" } }; required: ["left", "right"] }
    d13: { type: "object"; properties: { left: { $ref: "#/$defs/d14" }; right: { $ref: "#/$defs/d14" } }; required: ["left", "right"] }
    d14: { type: "object"; properties: { left: { $ref: "#/$defs/d15" }; right: { $ref: "#/$defs/d15" } }; required: ["left", "right"] }
    d15: { type: "object"; properties: { left: { $ref: "#/$defs/d16" }; right: { $ref: "#/$defs/d16" } }; required: ["left", "right"] }
    d16: { type: "object"; properties: { left: { $ref: "#/$defs/d17" }; right: { $ref: "#/$defs/d17" } }; required: ["left", "right"] }
    d17: { type: "object"; properties: { left: { $ref: "#/$defs/d18" }; right: { $ref: "#/$defs/d18" } }; required: ["left", "right"] }
    d18: { type: "object"; properties: { left: { $ref: "#/$defs/d19" }; right: { $ref: "#/$defs/d19" } }; required: ["left", "right"] }
    d19: { type: "object"; properties: { left: { $ref: "#/$defs/d20" }; right: { $ref: "#/$defs/d20" } }; required: ["left", "right"] }
    d20: { type: "object"; properties: { left: { $ref: "#/$defs/d21" }; right: { $ref: "#/$defs/d21" } }; required: ["left", "right"] }
    d21: { type: "object"; properties: { left: { $ref: "#/$defs/d22" }; right: { $ref: "#/$defs/d22" } }; required: ["left", "right"] }
    d22: { type: "object"; properties: { left: { $ref: "#/$defs/d23" }; right: { $ref: "#/$defs/d23" } }; required: ["left", "right"] }
    d23: { type: "object"; properties: { left: { $ref: "#/$defs/d24" }; right: { $ref: "#/$defs/d24" } }; required: ["left", "right"] }
    d24: { type: "object"; properties: { left: { $ref: "#/$defs/d25" }; right: { $ref: "#/$defs/d25" } }; required: ["left", "right"] }
    d25: { type: "object"; properties: { left: { $ref: "#/$defs/d26" }; right: { $ref: "#/$defs/d26" } }; required: ["left", "right"] }
    d26: { type: "object"; properties: { left: { $ref: "#/$defs/d27" }; right: { $ref: "#/$defs/d27" } }; required: ["left", "right"] }
    d27: { type: "object"; properties: { left: { $ref: "#/$defs/d28" }; right: { $ref: "#/$defs/d28" } }; required: ["left", "right"] }
    d28: { type: "object"; properties: { left: { $ref: "#/$defs/d29" }; right: { $ref: "#/$defs/d29" } }; required: ["left", "right"] }
    d29: { type: "object"; properties: { left: { $ref: "#/$defs/d30" }; right: { $ref: "#/$defs/d30" } }; required: ["left", "right"] }
    d30: { type: "object"; properties: { left: { $ref: "#/$defs/d31" }; right: { $ref: "#/$defs/d31" } }; required: ["left", "right"] }
    d31: { type: "object"; properties: { left: { $ref: "#/$defs/d32" }; right: { $ref: "#/$defs/d32" } }; required: ["left", "right"] }
    d32: { type: "object"; properties: { left: { $ref: "#/$defs/d33" }; right: { $ref: "#/$defs/d33" } }; required: ["left", "right"] }
    d33: { type: "object"; properties: { left: { $ref: "#/$defs/d34" }; right: { $ref: "#/$defs/d34" } }; required: ["left", "right"] }
    d34: { type: "object"; properties: { left: { $ref: "#/$defs/d35" }; right: { $ref: "#/$defs/d35" } }; required: ["left", "right"] }
    d35: { type: "object"; properties: { left: { $ref: "#/$defs/d36" }; right: { $ref: "#/$defs/d36" } }; required: ["left", "right"] }
    d36: { type: "object"; properties: { left: { $ref: "#/$defs/d37" }; right: { $ref: "#/$defs/d37" } }; required: ["left", "right"] }
    d37: { type: "object"; properties: { left: { $ref: "#/$defs/d38" }; right: { $ref: "#/$defs/d38" } }; required: ["left", "right"] }
    d38: { type: "object"; properties: { left: { $ref: "#/$defs/d39" }; right: { $ref: "#/$defs/d39" } }; required: ["left", "right"] }
    d39: { type: "object"; properties: { left: { $ref: "#/$defs/d40" }; right: { $ref: "#/$defs/d40" } }; required: ["left", "right"] }
    d40: { type: "string" }
  }
}
same<Static<TFromSchema<Shared>>["left"]["right"]["left"]["right"]["left"]["right"]["left"]["right"]["left"]["right"]["left"]["right"]["left"]["right"]["left"]["right"]["left"]["right"]["left"]["right"]["left"]["right"]["left"]["right"]["left"]["right"]["left"]["right"]["left"]["right"]["left"]["right"]["left"]["right"]["left"]["right"]["left"]["right"]["left"]["right"], string>(true)
