// What the service answers, of the OpenAPI document's own types (openapi.d.ts, which the test in test/clients generates).
import type { components, paths } from './openapi'

/** As api.js reads it: credits are texts, also where the service writes numbers. */
type Read<T> = T extends (infer One)[] ? Read<One>[] : T extends object ? { [K in keyof T]: K extends 'credits' ? string : Read<T[K]> } : T

/** The path of the document that one with its ids filled in is of. */
type Of<P extends string> = P extends keyof paths ? P : { [K in keyof paths]: Fits<P, K> extends true ? K : never }[keyof paths]
type Fits<P extends string, K extends string> =
  P extends `${infer A}/${infer B}` ? (K extends `${infer C}/${infer D}` ? (IsOf<A, C> extends true ? Fits<B, D> : false) : false)
    : K extends `${string}/${string}` ? false : IsOf<P, K>
type IsOf<P extends string, K extends string> = K extends `{${string}}` ? true : P extends K ? true : false

type Body<T> = T extends { responses: infer R } ? { [S in keyof R]: S extends 200 | 201 ? (R[S] extends { content: { 'application/json': infer B } } ? B : never) : never }[keyof R] : never

/** What a request is answered with, where its path is written out; any where the path is made elsewhere. */
export type Answer<M extends string, P extends string> =
  string extends P ? any : string extends M ? any : Read<Body<Lowercase<M> extends keyof paths[Of<P>] ? paths[Of<P>][Lowercase<M>] : never>>

type Schemas = components['schemas']
export type Line = Read<Schemas['Line']>
export type ListedLine = Read<Schemas['ListedLine']>
export type Account = Read<Schemas['Account']>
export type Entry = Read<Schemas['Entry']>
export type Event = Read<Schemas['Event']>
export type Summary = Read<Schemas['Summary']>
export type Webhook = Read<Schemas['Webhook']>
export type AccessKey = Read<Schemas['AccessKey']>
export type Member = Read<Schemas['Member']>
export type Delivery = Read<Schemas['Delivery']>
export type Messages = Read<Schemas['Messages']>
export type Alerts = Read<Schemas['Alerts']>
export type Job = Read<Schemas['Job']>
export type Price = Read<Schemas['Price']>
export type Plan = Read<Schemas['Plan']>
export type PriceBook = Read<Schemas['PriceBook']>
export type PriceVersion = Read<Schemas['PastPriceBook']>
export type Proof = Read<Schemas['Proof']>
export type ListedSession = Read<Schemas['ListedSession']>
export type SignedIn = Read<Schemas['SignedIn']>
export type Refusal = Partial<Read<Schemas['Problem']>>
