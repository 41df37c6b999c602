// Preact with htm: html`<p>${text}</p>` makes what Preact shows. A text in it stays a text.
import { h, render } from './vendor/preact.js'
import { useEffect, useId, useLayoutEffect, useRef, useState } from './vendor/hooks.js'
import htm from './vendor/htm.js'

export const html = htm.bind(h)
export { render, useEffect, useId, useLayoutEffect, useRef, useState }
