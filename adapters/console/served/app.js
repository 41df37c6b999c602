import{$ as un,A as bt,Aa as ne,Ab as Un,B as U,Ba as $e,Bb as Wn,C as sn,Ca as T,Cb as zn,D as v,Da as z,Db as E,E as on,Ea as yn,Eb as Gn,F as an,Fa as V,Fb as ue,G as Ce,Ga as ze,Gb as fe,H as ie,Ha as kt,Hb as Kn,I as n,Ia as le,Ib as Ze,Ja as Ge,Jb as Ye,K as de,Ka as _e,Kb as Vn,L as y,La as vn,M as Ie,Ma as kn,Mb as Qn,N as rn,Na as Oe,Nb as Zn,O as oe,Oa as J,P as gt,Pa as xt,Pb as he,Q as ln,Qa as xn,R as cn,Ra as ce,Rb as Yn,S as mn,Sa as Sn,T as dn,Ta as pe,Tb as Je,U as wt,Ua as Cn,Ub as Jn,V as u,Va as Ke,W as L,X as ae,Y as $n,Yb as Xn,Z as P,Za as _n,_ as pn,a as Kt,aa as yt,ab as On,b as Vt,ba as fn,c as w,ca as hn,cc as es,d as q,da as bn,e as se,eb as Tn,f as Qt,fa as B,fb as H,g as Zt,ga as x,gb as Q,h as o,ha as Ne,hb as Rn,hc as Xe,i as xe,ia as M,ib as Fn,ic as et,j as De,ja as O,jb as En,jc as ts,k as Me,ka as ee,kb as An,l as X,la as Be,lb as qn,m as Pe,ma as He,mb as St,mc as ns,n as Yt,na as gn,nb as Ve,o as Jt,oa as te,ob as Ln,oc as ss,pa as vt,pb as Dn,pc as os,q as Xt,qa as h,qb as Mn,ra as F,rb as Pn,s as S,sa as N,sb as Ct,t as K,ta as je,tb as In,u as en,ub as Qe,v as Y,va as D,vb as Nn,w as _,wa as W,wb as Bn,x as Se,xa as wn,xb as Hn,y as tn,ya as Ue,yb as jn,z as nn,za as We,zb as _t}from"./chunk.js";var Ot=new Map,as=()=>Ot.clear(),Tt=e=>o`<${po} key=${e.id} reseller=${e} />`;function po({reseller:e}){let[t,s]=w(()=>(Se("open")||[]).includes(e.id)),a=()=>{let l=(Se("open")||[]).filter(i=>i!==e.id);tn({open:t?l:[...l,e.id].slice(-50)}),s(!t)},r=e.is_admin?"admin":e.is_master?"master":"reseller";return o`<div class="node">
    ${e.is_master||e.is_admin?o`<button type="button" class="button ghost only twig" aria-expanded=${t} aria-label=${n("tree.below",{name:e.username})} onClick=${a}><${h} name=${t?"chevron-down":"chevron-right"} /></button>`:o`<span class="twig"></span>`}
    <${v} class="row reseller" to=${"/resellers/"+e.id} data-row>
      <span class="name"><span translate=${!1}>${e.username}</span>${e.notes&&o`<span class="notes quiet">${e.notes}</span>`}</span>
      <span class="quiet">${n("role."+r)}</span>
      <span><${Rt} reseller=${e} /></span>
      ${!e.is_admin&&o`<${le} of=${e.credits} />`}
    <//>
    <span class="does">${L.manage(e,"credits:move")&&o`<${v} class="button row-act" to=${`/resellers/${e.id}?do=topup`} aria-label=${n("reseller.topup-title",{name:e.username})}>${n("reseller.topup")}<//>`}</span>
    ${t&&o`<${Ft} master=${e.id} />`}
  </div>`}var Rt=({reseller:e})=>e.active_tree?null:o`<${je} of="blocked" tone="bad" icon="lock">${n(e.block_reseller?"reseller.blocked":"reseller.blocked-above")}<//>`;function Ft({master:e,empty:t}){let s=String(e),[a,r]=w(()=>Ot.get(s)||{rows:[],next:""}),[l,i]=w(null),[c,m]=w(!0),d=async(f,k)=>{m(!0),i(null);try{let C=Math.min(500,Math.max(50,a.rows.length-f.length)),{data:A,next_cursor:R}=await Xt("/users",{master:e,limit:C,cursor:k},1),j={rows:[...f,...A],next:R};Ot.set(s,j),r(j)}catch(C){i(C)}m(!1)};q(()=>{d([],"")},[e]);let{rows:$,next:p}=a;return o`<ul class="rows branch" aria-busy=${c}>
    ${$.map(f=>o`<li key=${f.id}>${Tt(f)}</li>`)}
    ${l?o`<li><${D} problem=${l} retry=${()=>d($,p||"")} /></li>`:p===""&&c?o`<li class="quiet">${n("list.loading")}</li>`:p?o`<li><button type="button" class="button" disabled=${c} onClick=${()=>d($,p)}>${n("tree.more")}</button></li>`:!$.length&&o`<li class="quiet">${t||n("tree.none")}</li>`}
  </ul>`}var Te=e=>W(e===null||!u("users:read")?null:`/users/${e}/alerts`);function tt({account:{id:e,username:t},alerts:s,changed:a}){let r=n("alert.title",{name:t}),l=H({name:"alert "+e,method:"PUT",path:`/users/${e}/alerts`,title:r,fields:{credits:s.balance_low?x(s.balance_low):""}}),i=ue(l.fields.credits);return Q(l,()=>{let c=l.answer.balance_low;a?.(l.answer),_(E(c?n("alert.set",{name:t,amount:M(c)}):n("alert.unset",{name:t})))}),o`<section class="panel"><h2>${r}</h2>
    <${V} form=${l} submit=${n("save")} unclear=${!!i.wrong} onSubmit=${()=>l.send({balance_low:i.amount||null})} onClose=${()=>_()}>
      <p>${n("alert.meaning")}</p>
      <${fe} form=${l} typed=${i} label=${n("alert.field")} hint=${n("alert.hint")} required=${!1} />
    <//>
  </section>`}var uo=`
AR 54 11 9(11|[23]) 0
BO 591 8 [67] 0
BR 55 11 [1-9][1-9]9 0
CL 56 9 9 0
CO 57 10 3 0
CR 506 8 [5-8] -
CU 53 8 [56] 0
DO 1 10 8[024]9[2-9] 1
EC 593 9 9 0
SV 503 8 [5-7] -
GT 502 8 [3-5] -
HT 509 8 [345] -
HN 504 8 [37-9] -
MX 52 10 [2-9] -
NI 505 8 [5-8] -
PA 507 8 6 -
PY 595 9 9 0
PE 51 9 9 0
PR 1 10 (787|939)[2-9] 1
UY 598 8 9 0
VE 58 10 4[12] 0
BZ 501 7 6 -
GY 592 7 6|7[0-6] -
SR 597 7 [678] -
GF 594 9 69|709 0
GP 590 9 69|709 0
MQ 596 9 69|709 0
JM 1 10 (876|658)[2-9] 1
TT 1 10 868[2-9] 1
US 1 10 [2-9]\\d\\d[2-9] 1
CA 1 10 [2-9]\\d\\d[2-9] 1
PT 351 9 9[1-36] -
ES 34 9 6|7[1-48] -
AD 376 6 [36] -
FR 33 9 [67] 0
DE 49 10,11 1[5-7] 0
IT 39 9,10 3 -
GB 44 10 7[1-57-9] 0
IE 353 9 8[35-9] 0
NL 31 9 6 0
BE 32 9 4[5-9] 0
LU 352 9 6 -
CH 41 9 7[5-9] 0
AT 43 10,12 6(5[0-3579]|6[013-9]|[7-9]) 0
DK 45 8 [2-9] -
SE 46 9 7[023689] 0
NO 47 8 [49] -
FI 358 9,10 4[0-8]|50 0
IS 354 7 [678] -
PL 48 9 45|5[0137]|6[069]|7[2389]|88 -
CZ 420 9 60|7[02379] -
SK 421 9 9[0145] 0
HU 36 9 [2357]0|31 06
RO 40 9 7 0
BG 359 9 8[7-9]|98 0
GR 30 10 69 -
HR 385 8,9 9 0
UA 380 9 39|50|6[36-8]|7[357]|9[1-9] 0
RU 7 10 9 8
KZ 7 10 7[0467] 8
TR 90 10 5 0
IL 972 9 5 0
AE 971 9 5 0
SA 966 9 5 0
MA 212 9 [67] 0
AO 244 9 9 -
MZ 258 9 8 -
CV 238 7 [59] -
GW 245 9 9[56] -
ST 239 7 9 -
TL 670 8 7 -
ZA 27 9 [678] 0
NG 234 10 [789] 0
IN 91 10 [6-9] 0
PH 63 10 9 0
JP 81 10 [789]0 0
CN 86 11 1 0
AU 61 9 4 0
NZ 64 8,10 2 0`,rs=Object.fromEntries(uo.trim().split(`
`).map(e=>{let[t,s,a,r,l]=e.split(" ");return[t,{code:s,mobile:new RegExp(`^(?=\\d{${a}}$)(?:${r})`),trunk:l==="-"?"":l}]})),ls=/^(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})(\d*)$/,fo={54:e=>{let[t,...s]=[/^9?(11)15(\d{8})$/,/^9?([23]\d\d)15(\d{7})$/,/^9?([23]\d{3})15(\d{6})$/].filter(a=>a.test(e)).map(a=>e.replace(a,"9$1$2"));return t&&!s.length?t:/^(11|[23])\d+$/.test(e)&&e.length===10?"9"+e:e},55:e=>e.replace(/^([1-9][1-9])([6-9]\d{7})$/,"$19$2"),52:e=>e.replace(/^(?:01|04[45]|1)(?=[2-9]\d{9}$)/,"")},cs=(e,t)=>fo[e]?.(t)??t;function is({code:e,mobile:t,trunk:s},a){return[a,...s&&a.startsWith(s)?[a.slice(s.length)]:[]].map(l=>cs(e,l)).find(l=>t.test(l))||""}function be(e,t){let s=$n(e||"").replace(/^(https?:\/\/)?wa\.me\/\+?/,"+");if(!/^(\+|00)?[\d\s().\-/]+$/.test(s))return"";let a=s.replace(/\D/g,"");if(/^(\+|00)/.test(s)){let[,i="",c=""]=ls.exec(a.replace(/^00/,""))||[],m=Object.values(rs).some($=>$.code===i&&$.trunk==="0"),d=i+cs(i,m?c.replace(/^0/,""):c);return/^[1-9]\d{7,14}$/.test(d)?d:""}let r=rs[t.toUpperCase()];if(!r)return"";let l=is(r,a)||a.startsWith(r.code)&&is(r,a.slice(r.code.length));return l?r.code+l:""}var ho={1:/^(\d{3})(\d{3})(\d{4})$/,33:/^(\d)(\d\d)(\d\d)(\d\d)(\d\d)$/,52:/^(\d\d)(\d{4})(\d{4})$/,54:/^(9)(11|\d{3})(\d{3,4})(\d{4})$/,55:/^(\d\d)(\d{4,5})(\d{4})$/,56:/^(\d)(\d{4})(\d{4})$/};function ms(e){let[,t="",s=""]=ls.exec(e)||[],a=ho[t]?.exec(s)?.slice(1)||(s.length===8?[s.slice(0,4),s.slice(4)]:s.match(/\d{3}(?=\d{3})|\d+$/g)||[]);return["+"+t,...a].join(" ")}var ge=(e,t)=>`https://wa.me/${e}?text=${encodeURIComponent(t)}`;var nt=e=>/^(?:@|(?:https?:\/\/)?(?:t\.me|telegram\.me)\/)?([a-z]\w{3,31})\/?$/i.exec((e||"").trim())?.[1]||"",st=(e,t)=>(e?`https://t.me/${e}?text=`:"https://t.me/share/url?url=")+encodeURIComponent(t);function ds({whatsapp:e,telegram:t},s){let a=be(e||null,""),r=a?"":nt(t||null);return r?st(r,s):ge(a,s)}function $s(e,t=4n){let s=e>0n?e:10000n;for(let a=1n;;a*=10n)for(let r of[1n,2n,5n]){let l=r*a;if(l*t<s)continue;let i=(s+l-1n)/l;return Array.from({length:Number(i)+1},(c,m)=>BigInt(m)*l)}}var Re=(e,t)=>e>0n?Number(e*10000n/t)/100:0,ps=(e,t)=>e.map((s,a)=>(a?"V":"M0 ")+(100-Re(s,t))+"H"+(a+1)).join(""),us=(e,t,s)=>Math.max(0,Math.min(s-1,Math.floor(e*s/t)));function fs(e,t,s){let a={ArrowLeft:t-1,ArrowDown:t-1,ArrowRight:t+1,ArrowUp:t+1,Home:0,End:s-1}[e];return a===void 0?void 0:Math.max(0,Math.min(s-1,a))}var Et=e=>e.reduce((t,s)=>({trials:t.trials+s.trials,activations:t.activations+s.activations,extensions:t.extensions+s.extensions,spent:ee(O(t.spent)+O(s.spent))}),{trials:0,activations:0,extensions:0,spent:"0"}),hs=e=>e.filter(t=>t.day.slice(0,7)===e[e.length-1].day.slice(0,7));function bs(e,t,s){let a=t||s;return a&&O(e)<O(a)?a:""}function At({title:e,time:t,amount:s,none:a,points:r,ends:l,bars:i=!1}){let[c,m]=w(-1),d=Zt(),$=r||[],p=Math.max(1,$.length),f=$[c]||$[$.length-1],k=f?n("chart.value",{time:f.name,amount:(i?M:x)(ee(f.value))}):" ",C=$s($.reduce((b,{value:I})=>I>b?I:b,0n)),A=C[C.length-1],R=!i&&$.length?ps($.map(b=>b.value),A):"",j=b=>{let{left:I,width:Le}=b.currentTarget.getBoundingClientRect();m(us(b.clientX-I,Le,$.length))},Z=b=>{b.pointerType==="mouse"&&m(-1)},g=b=>{let I=fs(b.key,f?$.indexOf(f):0,$.length);I!==void 0&&(b.preventDefault(),m(I))};return o`<figure class="plot">
    <figcaption id=${d}>${e}</figcaption>
    <p class="said">${a&&r?.every(b=>!b.value)?a:k}</p>
    <div class="scale" aria-hidden="true">${r&&[...C].reverse().map(b=>o`<span key=${b}>${x(ee(b))}</span>`)}</div>
    <div class="area" ...${$.length?{role:"slider",tabIndex:0,"aria-labelledby":d,"aria-valuemin":1,"aria-valuemax":$.length,"aria-valuenow":$.indexOf(f)+1,"aria-valuetext":k,onPointerMove:j,onPointerDown:j,onPointerLeave:Z,onKeyDown:g}:{}}>
      <svg viewBox="0 0 ${p} 100" preserveAspectRatio="none" aria-hidden="true">
        <path class="grid" d=${C.slice(1).map(b=>`M0 ${100-Re(b,A)}H${p}`).join("")} vector-effect="non-scaling-stroke" />
        ${i&&$.map(({key:b,value:I},Le)=>I>0n&&o`<rect key=${b} class=${Le===p-1?"last":""} x=${Le+.15} width="0.7" y=${100-Re(I,A)} height=${Re(I,A)} />`)}
        ${R&&o`<path class="below" d=${R+"V100H0Z"} /><path class="edge" d=${R} vector-effect="non-scaling-stroke" />`}
        ${c>=0&&c<$.length&&o`<path class="chosen" d="M${c+.5} 0V100" vector-effect="non-scaling-stroke" />`}
        <path class="axis" d="M0 0V100H${p}" vector-effect="non-scaling-stroke" />
      </svg>
    </div>
    <div class="ends" aria-hidden="true"><span>${l[0]}</span><strong>${l[1]}</strong></div>
    <details><summary>${n("chart.table")}</summary>
      <table aria-labelledby=${d}><thead><tr><th scope="col">${t}</th><th scope="col">${s}</th></tr></thead>
        <tbody>${$.map(b=>o`<tr key=${b.key}><th scope="row">${b.name}</th><td>${x(ee(b.value))}</td></tr>`)}</tbody></table>
    </details>
  </figure>`}function gs({days:e}){let t=e&&e.map(({day:a,balance:r})=>({key:+a,name:pn(a),value:O(r)})),s=t?.length?[t[0].name,t[t.length-1].name]:[" ",""];return o`<${At} title=${n("chart.balance")} time=${n("chart.day")} amount=${n("amount")} points=${t} ends=${s} />`}var ws=()=>W(u("lines:read")?"/reports/summary":null,{days:31,tree:L.haveBelow()?y().id:void 0}),bo=["extensions","activations","trials"],go=[["running","/lines?status=running&show=official"],["trials","/lines?status=running&show=trials"],["expiring_7d","/lines?when=soon&show=official"],["expired_14d","/lines?when=past&show=official"]];function ys({of:{value:e,problem:t,reload:s}}){let a=e?.lines,r=e&&Et(e.days.slice(-1)),l=e&&Et(hs(e.days)),i=(c,m,d)=>o`<div class="tile" data-figure=${c}>
    <dt>${n("figures."+c)}</dt><dd class="figure" translate=${!1}>${m??" "}</dd><dd class="quiet">${d===null?" ":n("figures.this-month",{amount:d})}</dd></div>`;return o`<section class="panel numbers"><h2>${n("figures")}</h2>
    ${t&&o`<${D} problem=${t} retry=${s} />`}
    <dl class="tiles">
      ${bo.map(c=>i(c,r&&B(r[c]),l&&B(l[c])))}
      ${i("spent",r&&x(r.spent),l&&x(l.spent))}
    </dl>
    <ul class="tiles">${go.map(([c,m])=>o`<li key=${c}><${v} class="tile" to=${m} data-count=${c}>
      <span class="figure">${a?B(a[c])+(a.capped?"+":""):" "}</span><span>${n(c==="trials"?"figures.running-trials":"figures."+c)}</span><//></li>`)}</ul>
  </section>`}function vs({of:{value:e}}){let t=e&&e.days.map(a=>({key:a.day,name:fn(a.day),value:O(a.spent)})),s=t?[t[0].name,n("chart.today",{day:t[t.length-1].name})]:[" ",""];return o`<section class="panel"><${At} bars title=${n("figures.spent-daily")} time=${n("chart.day")} amount=${n("amount")} none=${n("figures.spent-none")} points=${t} ends=${s} /></section>`}var ks=e=>e.split("").map(t=>t.normalize("NFD")[0].toLowerCase()).join("");function ot(e,t){if(!e||!t)return null;let s=ks(e).indexOf(ks(t));if(s>=0)return[s,s+t.length];let a=t.replace(/[\s+\-().]/g,""),r=/^\d{4,}$/.test(a)&&new RegExp(a.split("").join("[\\s+\\-().]*")).exec(e);return r?[r.index,r.index+r[0].length]:null}function Fe({text:e,by:t}){let s=ot(e,t);return e&&s?o`${e.slice(0,s[0])}<mark>${e.slice(...s)}</mark>${e.slice(s[1])}`:e}function xs({line:e}){he();let t=Date.parse(e.expDate)>X()?"reminder":"expired",s=n("line.remind",{name:e.username}),a=o`<${h} name="message-circle" />`;return Qn(Yn(t))?o`<${v} class="button ghost only" to=${"/lines/"+e.id} aria-label=${s} title=${s} data-remind>${a}<//>`:o`<a class="button ghost only" href=${ge(be(e.whatsapp,e.country),Je(t,e))} target="_blank" rel="noopener noreferrer"
      aria-label=${s} title=${s} data-remind>${a}</a>`}var at=(e,t)=>o`<${wo} key=${e.id} line=${e} filter=${t} />`;function wo({line:e,filter:t}){let s=Ve.use()[e.id],a=St.use()===e.id,r=s&&s.updatedAt>e.updatedAt?{...e,...s}:e,[l,i]=w(""),[c,m,d]=Bn(t,e.id),{id:$,username:p,expDate:f,isTrial:k,effective:C,status:A}=r,R=!!A&&C!=="suspended"&&C!=="owner_blocked",j=R&&!k&&hn(f)<=2,Z=t&&S.get().query.get("q")||"",g=ot(p,Z)?null:[r.whatsapp,r.notes].find(I=>ot(I,Z)),b=yo(()=>{t&&!c&&d()});return o`<tr class=${[c&&"is-picked",R&&!k&&"is-active",!A&&!k&&"is-expired"].filter(Boolean).join(" ")} data-id=${$} ...${t?b:{}}>
    ${t&&o`<td class="pick"><label class="hit"><input type="checkbox" checked=${c} disabled=${m} onChange=${d} aria-label=${n("select.line",{name:p})} /></label></td>`}
    <th scope="row" class="name clip"><${v} to=${"/lines/"+$} title=${p} translate=${!1} data-row><${Fe} text=${p} by=${Z} /><//></th>
    <td class="st"><${_e} line=${r} /></td>
    <td class="expiry clip">${!l&&o`<span title=${P(f)}>${yt(f)}</span> <span class=${j?"rel soon":"rel"}>${bn(f)}</span>`}<span class="told" role="status">${l&&o`<${h} name="check" />${l}`}</span>${g&&o`<span class="hit-in"><${Fe} text=${g} by=${Z} /></span>`}</td>
    <td class="phone clip"><${Fe} text=${r.whatsapp} by=${Z} /></td>
    <td class="notes clip quiet">${r.owner!==y().id&&o`<${vo} id=${r.owner} />`}${r.notes&&o`<span class="note-text"><${Fe} text=${r.notes} by=${Z} /></span>`}</td>
    <td class="does"><span>
      ${u("lines:spend")&&(k?o`<${v} class="button row-act" to=${`/lines/${$}?do=activate`} aria-label=${n("line.activate-title",{name:p})}>${n("line.activate")}<//>`:o`<button type="button" class="button row-act" data-renew aria-haspopup="dialog" aria-label=${n("line.extend-title",{name:p})}
          onClick=${()=>{i(""),St.set($)}}>${n("line.extend")}</button>`)}
      <${xs} line=${r} />
      ${u("lines:write")&&o`<${ce} label=${n("more-about",{name:p})}>
        <${v} to=${`/lines/${$}?do=${k?"describe":"edit"}`}><${h} name="pencil" />${n("line.edit")}<//>
        <${v} to=${`/lines/${$}?do=${r.suspended?"resume":"suspend"}`}><${h} name=${r.suspended?"play":"circle-pause"} />${n(r.suspended?"line.resume":"line.suspend")}<//>
        ${u("lines:delete")&&o`<hr /><${v} class="bad" to=${`/lines/${$}?do=delete`}><${h} name="trash-2" />${n("line.delete")}…<//>`}<//>`}
      ${a&&!k&&o`<${Pn} line=${r} then=${I=>{I&&i(n("line.renewed",{until:yt(I)}))}} />`}
    </span></td>
  </tr>`}function yo(e){let t=se({timer:0,done:!1}),s=()=>clearTimeout(t.current.timer);return{onPointerDown:a=>{t.current.done=!1,a.pointerType==="touch"&&(t.current.timer=setTimeout(()=>{t.current.done=!0,e()},500))},onPointerUp:s,onPointerCancel:s,onPointerMove:s,onClickCapture:a=>{t.current.done&&(t.current.done=!1,a.preventDefault(),a.stopPropagation())}}}function vo({id:e}){let t=Ke(e);return o`<span class="owner">${t?n("line.owner-name",{name:t}):n("line.owner-id",{id:e})}</span>`}function Ee(e,t={}){let s=Number(e.counterparty),a=e.line_username||e.counterparty_username,r=e.actor_name!==rn()&&e.actor_name,l=o`<span class="name">${n("kind."+e.kind)}${a&&o` <span translate=${!1}>${a}</span>`}${r&&o` <span class="quiet">${n("event.by",{name:r})}</span>`}<span class="quiet notes">${e.notes}</span></span>
    <span class="amount ${e.amount.startsWith("-")?"out":"in"}" translate=${!1}>${Ne(e.amount)}</span>
    <span class="quiet">${P(e.at)}</span><span class="quiet">${z("balance-after",{amount:x(e.balance)})}</span>`,i=e.line&&u("lines:read")?"/lines/"+e.line:s>0&&s!==y().id&&L.seeResellers()?"/resellers/"+s:"";return i?o`<${v} class="row movement" to=${i} ...${t}>${l}<//>`:o`<div class="row movement">${l}</div>`}function rt({plain:e=!1}){let t=H({name:"trial",method:"POST",path:"/lines/test",title:n("trial.new"),fields:{}}),{state:s,answer:a,problem:r}=t;return q(()=>{s==="done"&&K("/lines/"+a.id,{state:E(n("trial.done",{name:a.username}))})},[s]),o`<div class="trial" data-form=${s}>
    ${s==="unknown"?o`<${ze} form=${t} />`:o`<button type="button" class=${e?"button":"button primary"} disabled=${t.frozen} onClick=${()=>t.send({})}><${h} name="plus" />${n(s==="sending"?"form.sending":"trial.new")}</button>`}
    ${s==="refused"&&r&&o`<${D} problem=${r} />`}
  </div>`}var ko=24*36e5,xo=["trial_created","activated","extended","suspended","resumed","deleted","imported"].map(e=>"line."+e).concat("bulk.*","reseller.*","balance.*","webhook.disabled","operator.*"),qt=()=>!y().is_admin&&u("users:write");function Ss(){let{query:e}=S.use();return e.get("do")==="alert"&&qt()?o`<${So} />`:o`<${Co} />`}function So(){let e=Te(y().id);return o`<${F} title=${n("nav.home")} up="/"><${ne} of=${e}>${t=>o`<${tt} account=${y()} alerts=${t} />`}<//><//>`}function Co(){let e=!!y().is_admin,t=u("lines:read"),s=u("events:read"),a=!s&&u("ledger:read"),[r]=w(X),l=R=>new Date(r+R*ko).toISOString(),i=ws(),c=Ue(t?"/lines":null,{isTrial:0,status:1,expires_before:l(7),limit:5},5),m=Ue(t?"/lines":null,{isTrial:0,effective:"expired",expires_after:l(-14),sort:"latest_expiry",limit:5},5),d=Ue(s?"/events":a?`/users/${y().id}/ledger`:null,s?{limit:5,order:"desc",type:xo}:{limit:5},5),$=W(u("manage")?"/webhooks":null),p=se(!1);p.current||=[t&&c,t&&m,t&&i,(s||a)&&d,u("manage")&&$].every(R=>!R||R.value||R.problem);let f=i.value?.lines.expiring_7d||0,k=i.value?.lines.expired_14d||0,C=t&&f>0&&u("lines:spend"),A=()=>{let R={isTrial:0,effective:"running",expires_after:l(0),expires_before:l(7)};K("/lines?when=soon&show=official&do=extend",{state:{picked:{filter:R}}})};return o`<${F} title=${n("nav.home")} actions=${u("lines:write")&&o`<${rt} plain=${C} />`}>
    ${p.current?o`<${Ro} of=${$.value?.data} /><div class="cols">
      ${t&&o`<div class="stack">
        <${it} title=${f?n("home.soon-n",{n:f,count:B(f)}):n("home.soon")} icon="calendar-clock" of=${c} lines none=${n("home.soon-none")} all="/lines?when=soon&show=official"
          action=${C&&o`<button type="button" class="button primary" onClick=${A}>${n("home.renew",{n:f,count:B(f)})}</button>`} />
        <${it} title=${k?n("home.past-n",{n:k,count:B(k)}):n("home.past")} icon="user-round-x" of=${m} lines none=${n("home.past-none")} all="/lines?when=past&show=official" />
        <${ys} of=${i} />
      </div>`}
      <div class="stack">
        ${e?o`${u("ledger:read")&&o`<${es} />`}<${To} />`:o`<${_o} lines=${i.value?.lines} />`}
        ${t&&o`<${vs} of=${i} />`}
        ${s?o`<${it} title=${n("home.activity")} of=${d} row=${Kn} none=${n("activity.none")} all="/activity" />`:a&&o`<${it} title=${n("home.movements")} of=${d} row=${R=>Ee(R)} none=${n("home.movements-none")} all="/statement" />`}
      </div>
    </div>`:o`<${$e} />`}
  <//>`}function _o({lines:e}){let t=oe.use(),s=mn.use(),a=Te(y().id),{prices:r}=En(),l=r?.find($=>$.period==="1 month"),i=a.value?.balance_low,c=t&&(a.value||a.problem||!u("users:read"))?bs(t.credits,i,l?.credits):"",m=t&&l?O(t.credits)/O(l.credits):0n,d=i?n("alert.is",{amount:x(i)}):n(a.value?"alert.new":"alert");return o`<section class="panel own">
    <header><h2>${n("home.balance")}</h2>${qt()&&o`<button type="button" class="button ghost only" aria-label=${d} title=${d} data-alert onClick=${()=>Y("alert")}><${h} name="bell" /></button>`}</header>
    <${Ge} of=${t} />
    ${!t&&s&&o`<${D} problem=${s} retry=${dn} />`}
    <p class="stock">${c?o`<span data-low=${c}><${je} tone="warn" icon="circle-alert">${n("home.low",{amount:x(c)})}<//></span>`:l&&m>0n?o`<span class="quiet">${n("home.enough",{n:Number(m),count:B(m),period:An(l.period)})}</span>`:" "}</p>
    ${qt()&&o`<${Oo} balance=${t?.credits} lines=${e} low=${!!c} />`}
  </section>`}function Oo({balance:e="0",lines:t,low:s}){let{staff:a,username:r}=y(),{messages:l}=he(),i=t?.expiring_7d||0,c=n(i?"ask.message-soon":"ask.message",{n:i,count:B(i),name:a?n("acts-for",{name:a.username,account:r}):r,balance:M(e)});return o`<div class=${s?"ask urgent":"ask"}><a class="button" href=${ds(l?.inherited||{},c)} target="_blank" rel="noopener noreferrer"><${h} name="hand-coins" />${n("ask")}</a>
    <${Oe} text=${c} label=${n("ask.copy")} /></div>`}function To(){let{value:e,problem:t}=W("/service");return t?null:o`<section class="panel service"><h2>${n("home.service")}</h2>
    <${J} of=${[[n("home.version"),e?e.version:" "],[n("home.store"),e?e.store:" "],[n("home.started"),e?P(e.started_at):" "],[n("home.backup"),e?e.last_backup_at&&P(e.last_backup_at):" "]]} /></section>`}function Ro({of:e=[]}){let t=e.filter(s=>!s.enabled&&s.disabled_reason!=="requested");return t.length>0&&o`<${N} tone="unsure"><p><strong>${n("home.still",{n:t.length})}</strong></p>
    ${t.map(s=>o`<p key=${s.id}><${v} to=${"/webhooks/"+s.id}>${Jn(s)}<//> ${Xn(s)[0]}</p>`)}<//>`}function it({title:e,icon:t="",of:s,row:a,lines:r=!1,none:l,all:i,action:c}){return o`<section class="panel"><header><h2>${t&&o`<${h} name=${t} />`}${e}</h2>${c}</header>
    <${ne} of=${s}>${({data:m,next_cursor:d})=>o`
      ${m.length?r?o`<table class="table customers few"><tbody>${m.slice(0,5).map($=>at($))}</tbody></table>`:o`<ul class="rows">${m.slice(0,5).map($=>o`<li key=${$.id}>${a?.($)}</li>`)}</ul>`:o`<p class="quiet">${d?n("home.unsure"):l}</p>`}
      ${(d||m.length>0)&&o`<p class="all"><${v} to=${i}>${n("home.all")}<//></p>`}`}<//>
  </section>`}var Lt=["running","expired","suspended","owner_blocked"],Fo=["newest","expiry","latest_expiry","username"],Cs=["q","username","mine","owner","tree","show","status","when"],lt={soon:["expiring_7d",{when:"soon",show:"official",status:""}],past:["expired_14d",{when:"past",show:"official",status:""}],running:["running",{when:"",show:"official",status:"running"}],trials:["trials",{when:"",show:"trials",status:"running"}]},_s=e=>e.get("days")?"":Object.keys(lt).find(t=>Object.entries(lt[t][1]).every(([s,a])=>(s==="status"?we(e):e.get(s)||"")===a))||"",ct=e=>Number(/^([1-9]|1[0-4])$/.exec(e.get("days")||"")?.[0]||7),we=e=>Lt.find((t,s)=>[t,String(1-s)].includes(e.get("status")||""))||"";function Os(e,t,s){let a=e.get("when"),r=e.get("show"),l=we(e),i=c=>new Date(t+c*864e5).toISOString();return{q:e.get("q"),username:e.get("username"),owner:e.get("mine")?s:e.get("owner"),tree:e.get("tree"),isTrial:r==="trials"?"1":r==="official"?"0":void 0,effective:l||(a==="soon"?"running":a==="past"?"expired":void 0),expires_after:a==="soon"?i(0):a==="past"?i(-14):void 0,expires_before:a==="soon"?i(ct(e)):a==="past"&&l&&l!=="expired"?i(0):void 0}}function Dt(e){let t=e.get("when"),s=we(e);return t==="past"||s==="expired"?"latest_expiry":t==="soon"||s?"expiry":"newest"}var Mt=e=>Fo.find(t=>t===e.get("sort"))||Dt(e);function Ts(e,t){let s=Mt(e);return s===(t.effective||t.expires_after||t.expires_before?"expiry":"id")?void 0:s}function Rs(e,t,s){let a=e.get("mine")?String(t):e.get("owner");return a?{account:a}:{tree:e.get("tree")||(s?String(t):void 0)}}function Fs(e){let t=l=>e.get(l)||"",s=we(e),a=t("show"),r=t("when");return[{name:"q",key:t("q")&&"filter.text",values:{text:t("q")}},{name:"username",key:t("username")&&"filter.begins",values:{text:t("username")}},{name:"status",key:s&&"filter."+s},{name:"show",key:/^(trials|official)$/.test(a)?"filter."+a:""},{name:"when",key:/^(soon|past)$/.test(r)?"filter.says-"+r:"",values:{n:ct(e)}},{name:"mine",key:t("mine")&&"filter.mine"},...["owner","tree"].map(l=>({name:l,key:t(l)&&"reseller.by-id",values:{id:t(l)}}))].filter(({key:l})=>l)}var Es=({name:e,label:t,value:s,of:a,choose:r,always:l})=>o`<p class="menu-head">${t}</p>
  ${[...l?[]:[["",n("filter.any")]],...a].map(([i,c])=>o`<button key=${i} type="button" aria-pressed=${s===i} data-filter=${e} data-value=${i} onClick=${()=>r(i)}>
    <${h} name=${s===i?"check":""} />${c}</button>`)}`;function As(e){let{name:t,label:s,value:a,of:r,choose:l}=e,i=r.find(([c])=>c===a)?.[1];return o`<span class="filter-of" data-of=${t}>
    <${ce} label=${i?`${s}: ${i}`:s} look=${i?"filter is-set":"filter"} face=${o`${i?o`<span class="what">${s}:</span> ${i}`:s}${!i&&o`<${h} name="chevron-down" />`}`}><${Es} ...${e} /><//>
    ${i&&o`<button type="button" class="filter-x" aria-label=${n("filter.remove",{filter:i})} onClick=${()=>l("")}><${h} name="x" /></button>`}
  </span>`}var qs=({of:e,children:t})=>o`<span class="filters-all"><${ce} label=${n("filter.more")} look="chip" face=${o`<${h} name="list-filter" />${n("filter.more")}`}>
  ${e.map(s=>o`<${Es} key=${s.name} ...${s} />`)}${t}<//></span>`;var Eo=e=>Fs(e).map(({name:t,key:s,values:a})=>({name:t,text:n(s,a)})),Ao={...Object.fromEntries(Cs.map(e=>[e,""])),days:"",sort:""};function Ds(){let{query:e}=S.use(),[t,s]=w(!1),a=e.get("do")||"",r=Se("picked"),l=Os(e,e.get("when")?nn():0,y().id),i=JSON.stringify(l),c=In().length>0,m=!!Nn(i)||t,d=Eo(e);if(Object.hasOwn(Ct,a)&&r&&u(Ct[a]))return o`<${zn} key=${a} action=${a} picked=${r} said=${d.map(({text:g})=>g)} />`;let $={...l,sort:Ts(e,l)},p=Mt(e),f=Dt(e),k=g=>U({sort:g===f?"":g}),C=g=>g.map(b=>[b,n("filter."+b)]),A=[{name:"status",label:n("filter.status"),value:we(e),of:C(Lt)},{name:"show",label:n("filter.show"),value:e.get("show")||"",of:C(["official","trials"])},{name:"when",label:n("filter.when"),value:e.get("when")||"",of:[["soon",n("filter.soon",{n:ct(e)})],["past",n("filter.past")]]},...L.haveBelow()?[{name:"mine",label:n("filter.whose"),value:e.get("mine")||"",of:[["1",n("filter.mine")]]}]:[],{name:"sort",label:n("sort"),value:p,always:!0,of:[f,...["newest","expiry","latest_expiry","username"].filter(g=>g!==f)].map(g=>[g,n("sort."+g)])}].map(g=>({...g,choose:b=>g.name==="sort"?k(b):U({[g.name]:b,...g.name==="when"&&{days:""}})})),R=d.filter(({name:g})=>!A.some(b=>b.name===g&&b.value)),j=o`<tr>
    ${c&&o`<th class="pick"><${Un} filter=${i} /></th>`}
    <${Ls} name="name" label=${n("customer")} orders=${[["username","ascending"]]} order=${p} choose=${k} />
    <th class="st">${n("filter.status")}</th>
    <${Ls} name="expiry" label=${n("filter.when")} orders=${[["expiry","ascending"],["latest_expiry","descending"]]} order=${p} choose=${k} />
    <th class="phone">${n("whatsapp")}</th><th class="notes">${n("notes")}</th><th class="does"><span class="hush">${n("actions")}</span></th></tr>`,Z=()=>{Qe.set(null),s(!1)};return o`<${F} title=${n("nav.lines")} actions=${o`<${_t} query=${$} />
      ${c&&o`<button type="button" class="button ghost only thumb" aria-label=${n("select.some")} title=${n("select.some")} aria-pressed=${m} onClick=${()=>m?Z():s(!0)}><${h} name="square-check" /></button>`}
      ${u("lines:write")&&o`<${rt} plain=${m} />`}`}>
    <div class=${m?"customers-of is-picking":"customers-of"}>
      <nav class="tabs" aria-label=${n("chips")}><${qs} of=${A}><hr /><${_t} query=${$} look="" /><//><${qo} query=${e} /></nav>
      ${m?o`<${Wn} filter=${i} query=${l} listed=${$} leave=${Z} />`:o`<div class="list-bar">${A.map(g=>g.name!=="sort"&&o`<${As} key=${g.name} ...${g} />`)}
          ${R.map(({name:g,text:b})=>o`<button key=${g} type="button" class="chip is-on" aria-label=${n("filter.remove",{filter:b})} onClick=${()=>U({[g]:""})}>${b}<${h} name="x" /></button>`)}
          ${d.length>0&&o`<button type="button" class="button link" onClick=${()=>U(Ao)}>${n("filter.clear")}</button>`}</div>`}
      <${pe} path="/lines" query=${$} label=${n("nav.lines")} head=${j} look="customers" count=${On} empty=${d.length?n("lines.none-such"):n("lines.none")}
        row=${g=>at(g,c?i:void 0)} />
    </div>
  <//>`}function Ls({name:e,label:t,orders:s,order:a,choose:r}){let l=s.findIndex(([c])=>c===a),i=s[l]?.[1];return o`<th class=${e} scope="col" aria-sort=${i}><button type="button" class="sort" onClick=${()=>r(s[(l+1)%s.length][0])}>${t}<${h} name=${i?i==="ascending"?"arrow-up":"arrow-down":"chevrons-up-down"} /></button></th>`}function qo({query:e}){let t=Ve.use(),s=W("/reports/summary",{days:1,...Rs(e,y().id,L.haveBelow())}),[a]=w(t);q(()=>{t!==a&&s.reload()},[t]);let r=s.value?.lines,l=_s(e),i=!["status","show","when"].some(m=>e.get(m)),c=(m,d,$,p)=>o`<a key=${m} href=${sn("/lines?"+new URLSearchParams($))} aria-current=${d?"page":void 0} data-tab=${m}
    onClick=${f=>{f.preventDefault(),U({...$,days:""})}}>${n("tabs."+m)}${p!==void 0&&o` <b>${B(p)}${r?.capped?"+":""}</b>`}</a>`;return o`${c("all",i,{status:"",show:"",when:""},void 0)}
    ${Object.entries(lt).map(([m,[d,$]])=>c(m,m===l,$,r?.[d]))}`}var ye=({form:e})=>o`
  <${T} form=${e} name="country" label=${n("country")} hint=${n("country.hint")} maxlength="64" required />
  <${T} form=${e} name="whatsapp" label=${n("whatsapp")} hint=${n("whatsapp.hint")} type="tel" inputmode="tel" maxlength="64" />
  <${T} form=${e} name="telegram" label=${n("telegram")} maxlength="64" />
  <${T} form=${e} name="email" label=${n("email")} type="email" inputmode="email" maxlength="254" />
  <${T} form=${e} name="notes" label=${n("notes")} kind="textarea" rows="3" maxlength="2000" />`,ve=e=>({country:e.country,whatsapp:e.whatsapp.trim()||null,telegram:e.telegram.trim()||null,email:e.email.trim()||null,notes:e.notes.trim()||null});function Ms({id:e}){let{query:t}=S.use(),s=We(`/lines/${e}`,!0),{reading:a}=he();return o`<${F} title=${s.value?.username||n("line.title")} named=${s.value} up="/lines">
    <${ne} of=${a&&s.value?{loading:!0}:s}>${r=>o`<${Lo} line=${r} doing=${t.get("do")||""} changed=${s.set} />`}<//>
  <//>`}function Lo({line:e,doing:t,changed:s}){let a=Ln(e),r=!e.isTrial,l=u("lines:spend"),i=u("lines:write"),c={activate:!r&&l&&Po,extend:r&&l&&Io,edit:r&&i&&No,describe:i&&jo,suspend:i&&Uo,resume:i&&Wo,delete:u("lines:delete")&&zo},m=Object.hasOwn(c,t)&&c[t],d=($,p=!1)=>o`<button type="button" class=${p?"button primary":"button"} onClick=${()=>Y($)}>${n("line."+$)}</button>`;return m?o`<${m} line=${e} payer=${a} changed=${s} />`:o`
    <p class="glance"><${_e} line=${e} badge /> <${kt} at=${e.expDate} /></p>
    ${/suspended|blocked/.test(e.effective||"")&&o`<${N}><p>${n(`line.${e.effective}-means`)}</p><${Is} line=${e} /><//>`}
    <div class="buttons">
      ${c.extend&&d("extend",!0)}${c.edit&&d("edit")}${c.activate&&d("activate",!0)}
      ${i&&o`${d("describe")}${d(e.suspended?"resume":"suspend")}`}
      ${c.delete&&o`<button type="button" class="button danger-plain" onClick=${()=>Y("delete")}>${n("line.delete")}</button>`}
    </div>
    <div class="cols person">
    <${Mo} line=${e} />
    <div class="stack"><section class="panel">
      <h2>${n("line.record")}</h2>
      <${J} of=${[[n("whatsapp"),e.whatsapp],[n("telegram"),e.telegram],[n("email"),e.email],[n("country"),He(e.country)],[n("notes"),e.notes&&o`<span class="text">${e.notes}</span>`],[n("line.owner"),e.owner===y().id?null:a?.username||n("reseller.by-id",{id:e.owner})],[n("line.external-id"),e.external_id],[n("line.platform"),e.idPlatform],[n("line.id"),e.id],[n("created"),P(e.createdAt)],[n("changed"),P(e.updatedAt)]]} />
    </section>
    ${e.metadata&&o`<section class="panel members">
      <h2>${n("line.metadata")}</h2>
      <${J} of=${Object.entries(e.metadata).map(([$,p])=>[o`<span class="name" translate=${!1}>${$.split(/(?<=_)/).map(f=>o`${f}<wbr />`)}</span>`,o`<span class="text" translate=${!1}>${p||"—"}</span>`])} />
    </section>`}</div>
    <${Do} line=${e.id} />
    </div>`}var Do=({line:e})=>o`<${Ye} of=${{line:e}} latest=${Ze({line:e})} />`;function Mo({line:e}){let[t,s]=w(""),a=t||Zn(e,X()),r=Je(a,e),l=be(e.whatsapp,e.country),i=nt(e.telegram),c=(m,d,$)=>o`<a class=${d==="send"?"button":"button send"} href=${m} target="_blank" rel="noopener noreferrer"><${h} name=${d} />${$}</a>`;return o`<section class="panel">
    <h2>${n("line.access")}</h2>
    <${J} of=${[[n("username"),o`<span class="copied"><code translate=${!1} data-username>${e.username}</code><${Oe} text=${e.username} label=${n("line.copy-name")} /></span>`],[n("password"),e.password===null?o`<span class="quiet">${n("line.password-hidden")}</span>`:o`<span class="copied"><code translate=${!1} data-password>${e.password}</code><${Oe} text=${e.password} label=${n("line.copy-password")} /></span>`]]} />
    <fieldset class="choice few short"><legend class="hush">${n("line.message")}</legend>
      ${Vn.map(m=>o`<label key=${m}><input type="radio" name="message" value=${m} checked=${m===a} onChange=${()=>s(m)} /><span>${n("messages."+m)}</span></label>`)}
    </fieldset>
    <p class="bubble text" translate=${!1} data-message=${a}>${r}</p>
    <div class="buttons">
      ${c(ge(l,r),"message-circle",l?n("line.whatsapp-to",{number:ms(l)}):n("line.whatsapp"))}
      ${c(st(i,r),"send",i?n("line.telegram-to",{name:"@"+i}):n("line.telegram"))}
      <${kn} text=${r} label=${n("line.copy")} />
    </div>
    ${e.whatsapp&&!l&&o`<p class="quiet">${n("line.whatsapp-unsure",{number:e.whatsapp})}</p>`}
  </section>`}function Po({line:e,payer:t,changed:s}){let a=n("line.activate-title",{name:e.username}),r=H({name:"activate "+e.id,method:"PATCH",path:"/lines/active/"+e.id,title:a,payer:e.owner,fields:{username:e.username,password:e.password||"",credits:"",whatsapp:e.whatsapp||"",country:e.country,notes:e.notes||""}}),{answer:l,fields:i}=r;return Q(r,()=>{s(l),_(E(n("line.activated",{name:l.username,until:P(l.expDate)}),{payer:e.owner,key:r.key}))}),o`<section class="panel"><h2>${z("line.activate-title",{name:e.username})}</h2>
    <${V} form=${r} submit=${i.credits?n("line.activate-for",{cost:M(i.credits)}):n("line.activate")} ready=${i.credits!==""} onClose=${()=>_()}
      onSubmit=${()=>r.send({...i,whatsapp:i.whatsapp.trim()||null,notes:i.notes.trim()||null})}>
      <${qn} form=${r} />
      <${Dn} payer=${t} form=${r} />
      <${Ps} form=${r} />
    <//>
  </section>`}var Ps=({form:e,whatsapp:t=!1})=>o`
  <${T} form=${e} name="username" label=${n("username")} maxlength="64" required />
  <${T} form=${e} name="password" label=${n("password")} minlength="4" maxlength="128" required />
  <${T} form=${e} name="whatsapp" label=${n("whatsapp")} hint=${n("whatsapp.hint")} type="tel" inputmode="tel" maxlength="64" required=${t} />
  <${T} form=${e} name="country" label=${n("country")} hint=${n("country.hint")} maxlength="64" required />
  <${T} form=${e} name="notes" label=${n("notes")} kind="textarea" rows="3" maxlength="2000" />`,Io=({line:e,payer:t,changed:s})=>o`<section class="panel"><h2>${z("line.extend-title",{name:e.username})}</h2>
  <${Mn} line=${e} payer=${t} onClose=${()=>_()} then=${(a,r)=>{s(a),_(E(n("line.extended",{name:a.username,until:P(a.expDate)}),{payer:e.owner,key:r}))}}><p><${_e} line=${e} /> <${kt} at=${e.expDate} /></p><//>
</section>`;function No({line:e,changed:t}){let s=n("line.edit-title",{name:e.username}),a=H({name:"edit "+e.id,method:"PATCH",path:"/lines/"+e.id,title:s,fields:{username:e.username,password:e.password||"",whatsapp:e.whatsapp||"",country:e.country,notes:e.notes||""}}),{answer:r,fields:l}=a;return Q(a,()=>{t({...e,...r}),_(E(n("line.edited",{name:r.username})))}),o`<section class="panel"><h2>${s}</h2>
    <${V} form=${a} submit=${n("save")} onSubmit=${()=>a.send({...l,notes:l.notes.trim()||null})} onClose=${()=>_()}>
      <${Ps} form=${a} whatsapp />
    <//>
  </section>`}var Bo=e=>Object.entries(e||{}).map(([t,s])=>`${t}: ${s.replaceAll(`
`,`
  `)}`).join(`
`);function Ho(e){let t=new Map,s="",a="";for(let r of e.split(`
`))if(t.size&&r.startsWith("  "))t.set(s,t.get(s)+`
`+r.slice(2));else if(r.trim()){let[,l="",i=""]=r.match(/^ *([a-z0-9_]{1,40}) *:(.*)/s)||[];(!l||t.has(l))&&(a||=n("line.metadata.row",{row:r})),t.set(s=l,i)}return{metadata:t.size?Object.fromEntries(t):null,wrong:a}}function jo({line:e,changed:t}){let s=n("line.describe-title",{name:e.username}),a=H({name:"describe "+e.id,method:"PATCH",path:`/lines/${e.id}/details`,title:s,fields:{country:e.country,whatsapp:e.whatsapp||"",telegram:e.telegram||"",email:e.email||"",notes:e.notes||"",external_id:e.external_id||"",metadata:Bo(e.metadata||null)}}),{answer:r,fields:l}=a,{metadata:i,wrong:c}=Ho(l.metadata),[m,d]=w(a.restored);return Q(a,()=>{t(r),_(E(n("line.described",{name:r.username})))}),o`<section class="panel"><h2>${s}</h2>
    <${V} form=${a} submit=${n("save")} unclear=${!!c} onClose=${()=>_()}
      onSubmit=${()=>a.send({...ve(l),external_id:l.external_id.trim()||null,metadata:i})}>
      <${ye} form=${a} />
      <${T} form=${a} name="external_id" label=${n("line.external-id")} hint=${n("line.external-id.hint")} maxlength="64" />
      <${T} form=${a} name="metadata" label=${n("line.metadata")} hint=${n("line.metadata.hint")} wrong=${m&&c} kind="textarea"
        rows=${Math.min(l.metadata.split(`
`).length+3,21)} onBlur=${()=>d(!0)} />
    <//>
  </section>`}var Is=({line:{suspension_reason:e}})=>e&&o`<${J} of=${[[n("reason"),o`<span class="text">${e}</span>`]]} />`,Ns=({line:{id:e,username:t},changed:s,name:a,...r})=>o`<${Xe} name=${`${a} ${e}`} path=${`/lines/${e}/suspension`}
  title=${n(`line.${a}-title`,{name:t})} submit=${n("line."+a)} ...${r}
  then=${l=>{s(l),_(E(n(`line.${a}-done`,{name:t})))}} />`,Uo=({line:e,changed:t})=>o`<${Ns} line=${e} changed=${t} name="suspend" method="PUT" danger meaning=${n("line.suspended-means")} fields=${{reason:""}}>
  ${s=>o`<${et} form=${s} name=${e.username} />`}<//>`,Wo=({line:e,changed:t})=>o`<${Ns} line=${e} changed=${t} name="resume" method="DELETE" meaning=${n("line.resume-meaning")}>${()=>o`<${Is} line=${e} />`}<//>`;function zo({line:e}){let t=n("line.delete-title",{name:e.username}),s=H({name:"delete "+e.id,method:"DELETE",path:"/lines/"+e.id,title:t,fields:{typed:""},secret:["typed"]});return Q(s,()=>en("/lines",E(n("line.deleted",{name:e.username})))),o`<section class="panel"><h2>${t}</h2>
    <${V} form=${s} danger submit=${n("line.delete")} ready=${ae(s.fields.typed)===e.username} onSubmit=${()=>s.send()} onClose=${()=>_()}>
      <p>${n("line.delete-meaning")}</p>
      <${T} form=${s} name="typed" label=${n("line.delete-type",{name:e.username})} required />
    <//>
  </section>`}function mt({name:e,label:t,to:s}){let{path:a,query:r}=S.use(),l=!!s&&a!==s,i=l?"":r.get(e)||"",[c,m]=w(i),d=se(0);return q(()=>{d.current||m(i)},[i,a]),q(()=>()=>clearTimeout(d.current),[]),o`<label class="search"><${h} name="search" />
    <input type="search" data-search value=${c} onInput=${f=>{let k=f.target.value;m(k),clearTimeout(d.current),l||(d.current=setTimeout(()=>{d.current=0,U({[e]:ae(k)})},250))}} onKeyDown=${f=>{f.key==="Enter"&&l&&ae(c)&&K(`${s}?${new URLSearchParams({[e]:ae(c)})}`)}} aria-label=${t} placeholder=${t}
      autocapitalize="none" autocomplete="off" spellcheck=${!1} maxlength="64" />${s&&o`<kbd class="key" aria-hidden="true">/</kbd>`}</label>`}function Bs(){let{query:e}=S.use(),t=e.get("q"),s=e.get("all"),a=t||s?{q:t}:{master:y().id};return e.get("do")==="create"&&L.createResellers()?o`<${Go} />`:o`<${F} title=${n("nav.resellers")}
    actions=${L.createResellers()&&o`<button type="button" class="button primary" onClick=${()=>Y("create")}><${h} name="plus" />${n("reseller.new")}</button>`}>
    <div class="filters" role="search">
      <${mt} name="q" label=${n("resellers.search")} />
      <select aria-label=${n("tree.show")} value=${s||""} onChange=${r=>U({all:r.target.value})}>
        <option value="">${n("tree.tree")}</option><option value="1">${n("tree.all")}</option>
      </select>
      <${jn} of="users" query=${a} />
    </div>
    <${pe} path="/users" query=${a} row=${Tt} label=${n("nav.resellers")}
      empty=${n(t?"resellers.none-such":"resellers.none")} />
  <//>`}function Go(){let e=H({name:"create",method:"POST",path:"/users",title:n("reseller.new"),secret:["password"],fields:{username:"",password:"",is_master:0,credits:"0",country:"",whatsapp:"",telegram:"",email:"",notes:"",language:ie.get()}}),{fields:t,answer:s}=e,a=ue(t.credits,!0),r=e.frozen?e.said().credits:a.amount;Q(e,()=>{let i=s.credits!=="0";K("/resellers/"+s.id,{replace:!0,state:E(n("reseller.created",{name:s.username}),i?{payer:s.id,key:e.key}:{})})});let l=()=>e.send({username:t.username,password:t.password,is_master:t.is_master,credits:r,language:t.language,...ve(t)});return o`<${F} title=${n("reseller.new")} up="/resellers"><section class="panel">
    <${V} form=${e} submit=${r&&O(r)>0n?n("reseller.create-amount",{amount:M(r)}):n("reseller.create")} unclear=${!!a.wrong} onSubmit=${l} onClose=${()=>_()}>
      <${T} form=${e} name="username" label=${n("username")} maxlength="64" required />
      <${T} form=${e} name="password" label=${n("password")} hint=${n("reseller.password-hint")} minlength="6" maxlength="128" required />
      <label class="check"><input type="checkbox" name="is_master" checked=${!!t.is_master} disabled=${e.frozen}
        onChange=${i=>e.set({is_master:i.target.checked?1:0})} />${n("reseller.is-master")}</label>
      ${u("credits:move")&&o`<${fe} form=${e} typed=${a} label=${n("reseller.first-credits")} hint=${n(y().is_admin?"amount.issued":"amount.own")} />`}
      <${ye} form=${e} />
      <${T} form=${e} name="language" label=${n("language")} kind="select">
        ${Object.entries(Ce).map(([i,c])=>o`<option key=${i} value=${i} lang=${i}>${c}</option>`)}<//>
    <//>
  </section><//>`}var Pt=["month","last","dates"],qe=e=>[e.getFullYear(),e.getMonth()+1,e.getDate()].map(t=>String(t).padStart(2,"0")).join("-"),Ae=(e,t)=>new Date(e.getFullYear(),e.getMonth(),e.getDate()+t);function Hs(e){let[,t,s,a]=/^(\d{4})-(\d\d)-(\d\d)$/.exec(e||"")||[];return t?new Date(Number(t),Number(s)-1,Number(a)):void 0}function js(e,t){let s=Pt.find(c=>c===e.get("period"))||"month",a=Ae(new Date(t),0),r=c=>new Date(a.getFullYear(),a.getMonth()+c,1);if(s==="last")return{which:s,from:r(-1),to:r(0),last:Ae(r(0),-1)};if(s==="month")return{which:s,from:r(0),to:r(1),last:a};let[l,i]=[Hs(e.get("from"))||r(0),Hs(e.get("to"))||a].sort((c,m)=>c.getTime()-m.getTime());return{which:s,from:l,to:Ae(i,1),last:i}}function Us(e){let t=0n,s=0n;for(let{amount:a}of e)a.startsWith("-")?s-=O(a):t+=O(a);return{came:ee(t),went:ee(s)}}function Ws(e,t,{from:s,last:a}){let r=[],l=t,i=e.length-1;for(let c=s;c<=a;c=Ae(c,1)){for(let m=Ae(c,1);i>=0&&new Date(e[i].at)<m;i--)l=e[i].balance;r.push({day:c,balance:l})}return r}async function Ko(e,t,s){let a=[];for(let r="";;){let{data:l,next_cursor:i,opening:c,closing:m}=await Jt("GET",e,{query:{...t,limit:500,cursor:r},signal:s});if(a.push(...l),i===null)return{entries:a,opening:c,closing:m};r=i}}function dt({account:e}){let{query:t}=S.use(),s=js(t,X()),a={from:s.from.toISOString(),to:s.to.toISOString()},r=`/users/${e.id}/ledger`,l=W(r,a,Ko),i=l.value,c=un(s.from,s.last),m=!e.is_admin&&o`<${Vo} of=${i} />`,d=p=>U({period:p==="month"?"":p,from:"",to:"",...p==="dates"&&{from:qe(s.from),to:qe(s.last)}}),$=(p,f)=>o`<label>${n("statement."+p)} <input class="input" type="date" name=${p} required
    value=${qe(f)} max=${qe(new Date(X()))} onChange=${k=>{k.target.value&&U({[p]:k.target.value})}} /></label>`;return o`
    <${ns} title=${n("print.statement",{name:e.username})} more=${()=>o`<p>${c}</p>
      ${i?o`${m}<ul class="rows">${i.entries.map(p=>o`<li>${Ee(p)}</li>`)}</ul>`:n("list.loading")}`} />
    <div class="filters period">
      <div class="seg" role="group" aria-label=${n("statement.period")}>
        ${Pt.map(p=>o`<button key=${p} type="button" aria-pressed=${p===s.which} onClick=${()=>d(p)}>${n("statement."+p)}</button>`)}
      </div>
      ${s.which==="dates"&&o`${$("from",s.from)}${$("to",s.last)}`}
      <span class="quiet" role="status">${c}</span>
    </div>
    ${l.problem&&o`<${D} problem=${l.problem} retry=${l.reload} />`}
    ${m&&o`${m}
      <${gs} days=${i&&Ws(i.entries,i.opening,s)} />`}
    <div class="buttons">
      <a class="button" href=${Hn("ledger",{account:e.id,...a})} download=""><${h} name="download" />${n("export")}</a>
      <button type="button" class="button" disabled=${!i} onClick=${()=>print()}>${n("print")}</button>
    </div>
    <${pe} path=${r} query=${a} row=${p=>Ee(p,{"data-row":!0})}
      label=${n("nav.statement")} empty=${n("statement.none")} />`}function Vo({of:e}){let{came:t,went:s}=Us(e?e.entries:[]),a=l=>O(l)?Ne(l):"0",r=[[n("statement.opening"),e&&x(e.opening)],[n("statement.in"),a(t)],[n("statement.out"),a("-"+s)],[n("statement.closing"),e&&x(e.closing)]];return o`<dl class="sums panel" aria-busy=${!e}>${r.map(([l,i])=>o`<div key=${l}><dt>${l}</dt><dd>${e?i:"…"}</dd></div>`)}</dl>`}function zs({id:e}){let{query:t}=S.use(),s=We(`/users/${e}`);return o`<${F} title=${s.value?.username||n("reseller.title")} named=${s.value} up="/resellers">
    <${ne} of=${s}>${a=>o`<${Qo} reseller=${a} doing=${t.get("do")||""} />`}<//>
  <//>`}function Qo({reseller:e,doing:t}){let s=e.id===y().id,a=u("users:write"),r=L.manage(e,"credits:move"),l=L.manage(e,"users:write"),i=u("users:read")&&(s?!e.is_admin:L.manage(e,"")),c=Te(i?e.id:null),m={topup:r&&Jo,reclaim:r&&Xo,block:l&&!e.block_reseller&&ea,unblock:l&&e.block_reseller&&na,contact:a&&oa,password:!s&&a&&ra,alert:i&&a&&aa,totp:L.manage(e,"manage")&&sa},d=Object.hasOwn(m,t)&&m[t];if(d)return o`<${d} reseller=${e} alerts=${c} />`;let $=(p,f="")=>o`<button type="button" class=${"button "+f} onClick=${()=>Y(p)}>${n("reseller."+p)}</button>`;return o`
    <p class="glance">${!e.is_admin&&o`<span class="big" data-balance=${e.credits}><${le} of=${e.credits} /></span>`} <${Rt} reseller=${e} /></p>
    <div class="buttons">
      ${r&&o`${$("topup","primary")}${$("reclaim")}`}
      ${u("lines:read")&&o`<${v} class="button" to=${s?"/lines?mine=1":"/lines?owner="+e.id}>${n("nav.lines")}<//>`}
      ${a&&$("contact")}${s?o`<${v} class="button" to="/sessions">${n("nav.sessions")}<//>`:a&&$("password")}
      ${i&&a&&o`<button type="button" class="button" onClick=${()=>Y("alert")}>${n("alert")}</button>`}
      ${m.totp&&$("totp")}
      ${l&&$(e.block_reseller?"unblock":"block",e.block_reseller?"":"danger-plain")}
    </div>
    ${e.block&&o`<section class="panel"><h2>${n("reseller.blocked")}</h2><${Ks} of=${e.block} /></section>`}
    <${Zo} reseller=${e} branch=${!!(e.is_master||e.is_admin)&&o`<section class="panel"><h2>${n("reseller.below")}</h2><${Ft} master=${e.id} empty=${n("tree.none")} /></section>`} record=${o`<section class="panel">
      <h2>${n("line.record")}</h2>
      <${J} of=${[[n("reseller.role"),n("role."+(e.is_admin?"admin":e.is_master?"master":"reseller"))],[n("whatsapp"),e.whatsapp],[n("telegram"),e.telegram],[n("email"),e.email],[n("country"),He(e.country)],[n("notes"),e.notes&&o`<span class="text">${e.notes}</span>`],[n("reseller.master"),e.master&&!s?o`<${Yo} id=${e.master} />`:null],[n("alert.field"),c.value?c.value.balance_low?o`<${le} of=${c.value.balance_low} />`:n("alert.none"):i&&!c.problem?"…":null],[n("reseller.recharged"),e.is_admin?null:P(e.recharge)],[n("line.id"),e.id],[n("created"),P(e.createdAt)],[n("changed"),P(e.updatedAt)]]} />
    </section>`} />`}function Zo({reseller:e,branch:t,record:s}){let a={account:e.id},r=Ze(a);return u("events:read")&&!r.value&&!r.problem?o`<${$e} />`:o`<div class="cols"><div class="stack">${t}<${Ye} of=${a} latest=${r} /></div><div class="stack">${s}</div></div>
    ${u("ledger:read")&&o`<h2>${n("nav.statement")}</h2>
    <${dt} account=${e} />`}`}function Yo({id:e}){let t=Ke(e);return e===y().id?t:o`<${v} to=${"/resellers/"+e}>${t||n("reseller.by-id",{id:e})}<//>`}function Gs({reseller:e,name:t,method:s,path:a,balances:r}){let l=n(`reseller.${t}-title`,{name:e.username}),i=H({name:`${t} ${e.id}`,method:s,path:a,title:l,payer:e.id,fields:{credits:"",notes:""}}),{fields:c}=i,m=ue(c.credits),d=i.frozen?i.said().credits:m.wrong?"":m.amount;return Q(i,()=>_(E(n(`reseller.${t}-done`,{name:e.username,amount:M(d)}),{payer:e.id,key:i.key}))),o`<section class="panel"><h2>${z(`reseller.${t}-title`,{name:e.username})}</h2>
    <${V} form=${i} submit=${d?n(`reseller.${t}-amount`,{amount:M(d)}):n("reseller."+t)} unclear=${!!m.wrong}
      onSubmit=${()=>i.send({credits:d,notes:c.notes.trim()||null})} onClose=${()=>_()}>
      <${fe} form=${i} typed=${m} label=${n("amount")} />
      ${d&&(i.frozen?o`<p>${z("amount.sent",{amount:M(d)})}</p>`:r(d))}
      <${T} form=${i} name="notes" label=${n("notes")} kind="textarea" rows="2" maxlength="2000" />
    <//>
  </section>`}function Jo({reseller:e}){let t=oe.use();return o`<${Gs} reseller=${e} name="topup" method="PATCH" path=${"/users/credits/"+e.id} balances=${s=>o`
    <p>${z("reseller.then",{name:e.username,now:x(e.credits),after:x(Be(e.credits,"-"+s))})}</p>
    ${t&&!t.is_admin&&(O(t.credits)<O(s)?o`<${N} tone="unsure"><p>${z("cost.short",{cost:M(s),now:x(t.credits)})}</p><//>`:o`<p>${z("reseller.then",{name:t.username,now:x(t.credits),after:x(Be(t.credits,s))})}</p>`)}`} />`}function Xo({reseller:e}){return o`<${Gs} reseller=${e} name="reclaim" method="POST" path=${`/users/${e.id}/credits/reclaim`} balances=${t=>O(e.credits)<O(t)?o`<${N} tone="unsure"><p>${z("cost.short-of",{name:e.username,cost:M(t),now:x(e.credits)})}</p><//>`:o`<p>${z("reseller.then",{name:e.username,now:x(e.credits),after:x(Be(e.credits,t))})}</p>`} />`}var It=({reseller:e,name:t,path:s="block",...a})=>o`<${Xe} name=${`${t} ${e.id}`} path=${`/users/${e.id}/${s}`}
  title=${n(`reseller.${t}-title`,{name:e.username})} meaning=${n(`reseller.${t}-meaning`)} submit=${n("reseller."+t)} danger=${t!=="unblock"} ...${a}
  then=${()=>_(E(n(`reseller.${t}-done`,{name:e.username})))} />`,Ks=({of:{lines:e,reason:t,at:s}})=>o`<${J} of=${[[n("nav.lines"),n("block."+e)],[n("block.since"),s&&P(s)],[n("reason"),t&&o`<span class="text">${t}</span>`]]} />`;function ea(e){let{id:t,username:s}=e.reseller,a=u("lines:read"),r=W(a?"/reports/summary":null,{tree:t,days:1});return o`<${It} ...${e} name="block" method="PUT" fields=${{lines:"run",reason:""}}>${l=>o`
    <${yn} form=${l} name="lines" label=${n("block.lines")} of=${["run","suspend"].map(i=>[i,n("block."+i),n(`block.${i}-means`)])} />
    ${a&&l.fields.lines==="suspend"&&o`<${ne} of=${r}>${ta}<//>`}
    <${et} form=${l} name=${s} />`}<//>`}function ta({lines:{running:e,trials:t,capped:s}}){let a=e+t,r=B(a);return o`<p role="status" data-stops=${a}><strong>${n("block.stops",{n:a,lines:s?n("at-least",{n:r}):r})}</strong></p>`}var na=({reseller:e})=>o`<${It} reseller=${e} name="unblock" method="DELETE">
  ${()=>e.block&&o`${e.block.lines==="suspend"&&o`<p>${n("block.over")}</p>`}<${Ks} of=${e.block} />`}<//>`,sa=e=>o`<${It} ...${e} name="totp" method="DELETE" path="totp" />`;function oa({reseller:e}){let t=n("reseller.contact-title",{name:e.username}),s=H({name:"contact "+e.id,method:"PATCH",path:`/users/${e.id}/contact`,title:t,fields:{country:e.country,whatsapp:e.whatsapp||"",telegram:e.telegram||"",email:e.email||"",notes:e.notes||""}});return Q(s,()=>_(E(n("reseller.contact-done",{name:e.username})))),o`<section class="panel"><h2>${t}</h2>
    <${V} form=${s} submit=${n("save")} onSubmit=${()=>s.send(ve(s.fields))} onClose=${()=>_()}><${ye} form=${s} /><//>
  </section>`}var aa=({reseller:e,alerts:t})=>o`<${ne} of=${t}>${s=>o`<${tt} account=${e} alerts=${s} changed=${t.set} />`}<//>`,ra=({reseller:e})=>o`<${ts} account=${e} />`;function Vs(){let e=oe.use();return o`<${F} title=${n("nav.statement")}>
    ${!y().is_admin&&o`<${Ge} of=${e} />`}
    <${dt} account=${y()} />
  <//>`}var $t=null,{entry:ia}=S.get(),Nt=async()=>{$t||=await import("./rare.js")},G=e=>t=>{let[,s]=w(!1),[a,r]=w(null);return q(()=>{$t||Nt().then(()=>{s(!0),S.get().entry!==ia&&an()},r)},[]),$t?o`<${$t[e]} ...${t} />`:a?o`<${D} problem=${a} retry=${()=>location.reload()} />`:o`<${$e} />`},Qs=[["/",Ss],["/lines",Ds],["/lines/:id",Ms],["/jobs",G("Jobs")],["/jobs/:id",G("Job")],["/resellers",Bs],["/resellers/:id",zs],["/statement",Vs],["/activity",G("Activity")],["/webhooks",G("Webhooks")],["/webhooks/:id",G("OneWebhook")],["/keys",G("Keys")],["/keys/:id",G("OneKey")],["/staff",G("Staff")],["/staff/:id",G("Member")],["/messages",G("Messages")],["/sessions",G("Sessions")],["/proof",G("Proof")],["/prices",G("Prices")]];var Bt=`resellerd${Pe} theme`,Zs=matchMedia("(prefers-color-scheme: dark)"),Ys=["device","light","dark"],pt=xe(Me(Bt)||"device");function Js(e){e==="device"?localStorage.removeItem(Bt):De(Bt,e),pt.set(e),Xs()}function Xs(){let e=pt.get();document.documentElement.dataset.theme=e==="device"?Zs.matches?"dark":"light":e}Zs.addEventListener("change",Xs);var Ht=`resellerd${Pe} keys off`,jt=xe(!Me(Ht)),re=xe(!1);function la(e){e?localStorage.removeItem(Ht):De(Ht,"yes"),jt.set(e)}addEventListener("keydown",e=>{if(e.defaultPrevented||e.ctrlKey||e.metaKey||e.altKey)return;let t=e.target instanceof HTMLElement?e.target:document.body,s=t.matches("input:not([type=checkbox]), textarea, select");if(e.key==="Escape"&&!re.get()){s?t.blur():S.get().query.get("do")&&!document.querySelector("[data-form=sending], [data-form=unknown]")&&_();return}if(!(s||!jt.get()||re.get())){if(e.key==="/"){let a=document.querySelector("[data-search]");if(!(a instanceof HTMLElement))return;e.preventDefault(),a.focus()}else if(e.key==="x")(t.closest("tr")?.querySelector(".pick input")||null)?.click();else if(e.key==="r")(t.closest("tr")?.querySelector("[data-renew]")||null)?.click();else if(e.key===".")document.querySelector(".pick-bar button")?.focus();else if(e.key==="?")e.preventDefault(),re.set(!0);else if(e.key==="j"||e.key==="k"){let a=[...document.querySelectorAll("[data-row]")],r=a.findIndex(i=>i===t||(i.closest("tr")||i.previousElementSibling)?.contains(t)),l=r>=0?r+(e.key==="j"?1:-1):a.findIndex(i=>i.getBoundingClientRect().top>=0);if(!a[l])return;e.preventDefault(),a[l].focus(),a[l].scrollIntoView({block:"nearest"})}}});var ca=[["/","search"],["j","next"],["k","previous"],["x","select"],["r","renew"],[".","act"],["Enter","open"],["Esc","leave"],["?","help"]];function eo(){let e=se(null),t=re.use(),s=jt.use();return q(()=>{t?e.current?.showModal():e.current?.close()},[t]),o`<dialog class="dialog" ref=${e} aria-labelledby="keys" onClose=${()=>re.set(!1)}>
    <h2 id="keys">${n("keys.title")}</h2>
    <dl class="facts">${ca.map(([a,r])=>o`<div key=${a}><dt><kbd>${a}</kbd></dt><dd>${n("keys."+r)}</dd></div>`)}</dl>
    <label class="check"><input type="checkbox" checked=${s} onChange=${a=>la(a.target.checked)} />${n("keys.letters")}</label>
    <div class="buttons"><button type="button" class="button primary" onClick=${()=>re.set(!1)}>${n("close")}</button></div>
  </dialog>`}var to=[["/","house",""],["/lines","tv","lines:read"],["/resellers","users","users:read",L.haveBelow],["/statement","receipt-text","ledger:read"]],no={business:[["/prices","tag","",()=>!!y().is_admin],["/messages","message-square-text","lines:read"],["/activity","activity","events:read"],["/jobs","list-checks","lines:read"],["/proof","scale","ledger:read",()=>!!y().is_admin]],team:[["/staff","user-round-cog","manage"],["/keys","key-round","manage"],["/webhooks","webhook","manage"]],account:[["/sessions","shield-check",""]]},Ut=([,,e,t])=>u(e)&&t?.()!==!1,so=e=>n("nav."+(e.slice(1)||"home"));function ao({children:e}){let{path:t}=S.use(),s=Rn.use(),[a,r]=w(!1),l=xn(a,()=>r(!1)),i="/"+t.split("/")[1],c=ma(),m=([d,$])=>o`<${v} key=${d} to=${d} title=${so(d)} aria-current=${d===i?"page":void 0}>
    <${h} name=${$} /><span>${so(d)}</span><//>`;return o`
    <a class="skip" href="#main">${n("skip")}</a>
    <nav class="places" aria-label=${n("nav")}>
      <${v} to="/" class="brand" translate=${!1}><${ut} /><span class="clip">${te}</span><//>
      ${to.filter(Ut).map(m)}
      <div class="rest" ref=${l}>
        <button type="button" aria-expanded=${a} aria-controls="more" onClick=${()=>r(!a)}><${h} name="menu" /><span>${n("nav.more")}</span></button>
        ${a&&o`<div class="veil" onClick=${()=>r(!1)}></div>`}
        <div id="more" class=${a?"more open":"more"} onClick=${d=>{d.target.closest("a")&&r(!1)}}>
          <div class="me"><span class="avatar" aria-hidden="true">${c[0].toUpperCase()}</span><span><b class="clip" translate=${!1}>${c}</b><${oo} /></span></div>
          ${Object.entries(no).map(([d,$])=>$.some(Ut)&&o`<div key=${d} class=${"group "+d}><p class="group-name">${n("nav.group."+d)}</p>${$.filter(Ut).map(m)}</div>`)}
          <div class="narrow"><${ft} /><${ht} /></div>
        </div>
      </div>
      <${Tn} />
    </nav>
    <header class="top" data-who=${c}>
      <${v} to="/" class="start" aria-label=${te}><${ut} /><//>
      ${u("lines:read")?o`<${mt} name="q" label=${n("search")} to="/lines" />`:o`<span class="search"></span>`}
      <${oo} link />
      <${ce} label=${c} look="avatar" face=${c[0].toUpperCase()}>
        <p class="menu-head" translate=${!1}>${c}</p>
        <${v} to="/sessions"><${h} name="shield-check" />${n("nav.sessions")}<//>
        <${ft} />
        <button type="button" onClick=${()=>re.set(!0)}><${h} name="keyboard" />${n("keys.title")}<kbd>?</kbd></button>
        <hr />
        <${ht} />
      <//>
    </header>
    <${wn} />
    <main id="main" tabindex="-1">
      <div class="toasts" aria-live="polite">
        ${s.map(d=>o`<${da} key=${d.id} sent=${d} />`)}<${Gn} />
      </div>
      ${[...to,...Object.values(no).flat()].every(([d,,$])=>d!==i||u($))?e:o`<${F} title=${n("nav."+i.slice(1))}><${N}><p>${n("problem.insufficient-scope")}</p><//><//>`}
    </main>
    <${eo} /><${vn} />`}function ma(){let{staff:e,username:t}=y();return e?n("acts-for",{name:e.username,account:t}):t}function oo({link:e=!1}){let t=oe.use();if(!t||t.is_admin)return null;if(!e)return o`<span class="quiet"><${le} of=${t.credits} /></span>`;let s=x(t.credits),a=M(t.credits).replace(s,""),r=o`<${h} name="coins" /><span class="credits" translate=${!1}>${s}<span class="unit">${a}</span></span>`;return u("ledger:read")?o`<${v} to="/statement" class="balance">${r}<//>`:o`<span class="balance">${r}</span>`}function da({sent:e}){let t=Fn(e),s=t.state.use(),[a,r]=w(!1),{path:l}=S.use(),i=e.place&&e.place!==l+location.search;if(q(()=>{r(!1);let m=setTimeout(()=>r(!0),e.place&&!i?5e3:700);return()=>clearTimeout(m)},[i]),q(()=>t.state.watch(()=>{let m=t.state.get();m==="done"&&!e.place&&bt(E(n("form.settled",{title:e.title}),{payer:e.payer,key:t.kept.key})),t.problem&&(m==="refused"||m==="over")&&(t.drop(),bt(E(n("form.not-done",{title:e.title,why:gn(t.problem).text}),{tone:"bad"})))}),[]),!a)return null;let c={problem:t.problem,pays:!!e.payer,tooOld:t.tooOld(),again:()=>t.again(),discard:()=>t.drop()};return o`<div class="toast" data-form=${s}><p>${n("form.pending",{title:e.title})}</p>
    ${i?o`<div class="buttons"><${v} class="button primary" to=${e.place}>${n("form.back")}<//></div>`:s==="sending"?o`<p role="status">${n("form.sending")}</p>`:o`<${ze} form=${c} />`}</div>`}var ut=()=>vt?o`<img class="own-logo" src=${vt} alt="" />`:o`<span class="logo" aria-hidden="true">${te[0]}</span>`,ro=()=>o`<p class="langs">${Object.entries(Ce).map(([e,t])=>o`<button key=${e} type="button" class="button link" lang=${e} data-lang=${e} aria-pressed=${ie.get()===e}
  onClick=${()=>wt(e).catch(()=>location.reload())}>${t.replace(/ \(.*/,"")}</button>`)}</p>`;function ft(){let[e,t]=w(null),s=a=>{t(null),wt(a).catch(t)};return o`<${xt} icon="sun-moon" label=${n("theme")} value=${pt.use()} choose=${Js} of=${Ys.map(a=>[a,n("theme."+a)])} />
  <${xt} key=${!!e} icon="languages" label=${n("language")} value=${ie.get()} choose=${s} of=${Object.entries(Ce)} />
  ${e&&o`<div class="toasts"><div class="toast"><div><${D} problem=${e} retry=${()=>location.reload()} /></div></div></div>`}`}function ht({look:e=""}){let[t,s]=w(null),a=()=>cn().then(()=>K("/",{replace:!0}),s);return o`<button type="button" class=${e} onClick=${a}><${h} name="log-out" />${n("sign-out")}</button>
    ${t&&de.get().is!=="out"&&o`<${D} problem=${t} retry=${a} />`}`}function io({ended:e,dropped:t}){let[s,a]=w({username:"",password:"",totp:""}),[r,l]=w(!1),[i,c]=w(null),[m,d]=w(!1);q(()=>{document.getElementsByName(r?"totp":"username")[0]?.focus()},[r]),q(()=>{let C=i&&document.getElementsByName(r?"totp":"password")[0];C instanceof HTMLInputElement&&(C.focus(),C.select())},[i]);let $=async C=>{if(C.preventDefault(),m)return;d(!0),c(null);let{totp:A,...R}={...s,username:ae(s.username)};try{await ln(r?{...R,totp:ss(A)}:R)}catch(j){j.code!=="totp-required"?c(r&&j.code==="invalid-credentials"?new Yt("wrong-code"):j):l(!0),d(!1)}},p=()=>{a({...s,password:"",totp:""}),c(null),l(!1)},k={fields:s,frozen:m,problem:i,set:C=>{r&&c(null),a(A=>({...A,...C}))}};return o`<main class="alone card-page"><div class="card"><p class="sign-brand" translate=${!1}><${ut} />${te}</p><${F} title=${n("sign-in")}>
    ${e&&o`<${N} tone=${t?"bad":"unsure"}><p>${n(t?"sign-in.dropped":"sign-in.ended")}</p><//>`}
    ${!isSecureContext&&o`<${N} tone="bad"><p>${n("sign-in.insecure")}</p><//>`}
    <form onSubmit=${$} aria-busy=${m}>
      ${r?o`<p>${n("sign-in.code",{name:s.username})}</p><${os} form=${k} name="totp" recovery />`:o`<${T} form=${k} name="username" label=${n("username")} autocomplete="username" maxlength="64" required />
          <${T} form=${k} name="password" label=${n("password")} type="password" autocomplete="current-password" maxlength="128" required />`}
      ${i&&o`<${D} problem=${i} />`}
      <button type="submit" class="button primary wide tall" disabled=${m||!isSecureContext}>${n(m?"form.sending":"sign-in")}</button>
      ${r?o`<button type="button" class="button wide" onClick=${p}>${n("back")}</button>`:o`<p class="quiet small help">${n("sign-in.forgotten")}</p>`}
    </form>
  <//></div><${ro} /></main>`}var Wt=new WeakSet,ke=new Map,zt=new MutationObserver(lo);function lo(e){for(let{target:t,addedNodes:s,removedNodes:a,previousSibling:r,nextSibling:l}of e){let i=t;for(;i&&!Wt.has(i);)i=i.parentNode;if(i)continue;for(let d of s)d instanceof Text||Wt.add(d);let c=[...s,r,l].filter(d=>d&&Wt.has(d)),m=c.find(d=>!ke.has(d))||c[0];if(m)for(let d of a)d instanceof Text&&ke.set(m,[...ke.get(m)||[],d])}}function $a(e){lo(zt.takeRecords());let t=[...ke].filter(([s])=>s.parentNode).map(([s,a])=>({stand:s,texts:a,was:a.map(r=>r.data),apart:a.every(r=>!r.parentNode)}));ke.clear();for(let{stand:s,texts:a}of t)s.replaceWith(...a);try{e()}finally{for(let{stand:s,texts:a,was:r,apart:l}of t)if(!(!l||!a.every((i,c)=>i.parentNode&&i.data===r[c]&&(!c||i.previousSibling===a[c-1])))){a[0].before(s);for(let i of a)i.remove();ke.set(s,a)}zt.takeRecords()}}Kt.debounceRendering=e=>queueMicrotask(()=>$a(e));var co=()=>zt.observe(document.body,{childList:!0,subtree:!0});var me=[];addEventListener("focusin",e=>{me=[];for(let t=e.target;t instanceof Element;t=t.parentElement)me.push(t)});addEventListener("focusout",()=>{let[e]=me;queueMicrotask(()=>{e&&e===me[0]&&e!==document.activeElement&&Gt(e)&&document.hasFocus()&&(me=[])})});var Gt=e=>e.isConnected&&!e.matches(":disabled")&&e.checkVisibility({visibilityProperty:!0}),mo=e=>{e instanceof HTMLElement&&e.focus({preventScroll:!0})};function pa(){let[e]=me,t=document.activeElement;if(!e||e===document.body||t!==e&&t!==document.body)return;if(Gt(e)){t!==e&&mo(e);return}if(e.isConnected&&e.matches(":disabled"))return;let s=me.find(l=>l.isConnected),a=s?.closest("[data-form]"),r=a&&[...a.querySelectorAll("button, input, select, textarea")].find(Gt);mo(r||s?.closest(".screen")?.querySelector("h1")||document.querySelector("h1"))}new MutationObserver(pa).observe(document.body,{subtree:!0,childList:!0,attributes:!0,attributeFilter:["disabled","hidden"]});function ua(){let{path:e}=S.use(),t=de.use();ie.use();let[s]=Qt(r=>setTimeout(()=>{throw r}));if(s)return o`<main class="alone"><${F} title=${te}><${N} tone="bad"><p>${n("broken")}</p>
      <button type="button" class="button" onClick=${()=>location.reload()}><${h} name="rotate-cw" />${n("load-again")}</button><//><//></main>`;switch(t.is){case"starting":return null;case"failed":return o`<main class="alone"><${F} title=${te}>
        <${D} problem=${t.problem} retry=${gt} />
        <div class="settings"><${ft} /></div><//></main>`;case"blocked":return o`<main class="alone"><${F} title=${n("blocked.title")}>
        <${N} tone="bad"><p>${n("problem.account-blocked")}</p><//><div class="buttons"><${ht} look="button" /></div><//></main>`;case"out":return o`<${io} ended=${t.ended} dropped=${t.dropped} />`}if(e==="/sign-in")return K("/",{replace:!0}),null;let a=on(Qs,e);return o`<${ao} key=${Ie(t.who)}>
    ${a?o`<${a.screen} key=${e} id=${a.id} />`:o`<${F} title=${n("nowhere")}><p><${v} to="/">${n("nav.home")}<//></p><//>`}
  <//>`}function fa(){if(document.querySelector("[rel=manifest]"))return;let e=document.createElement("link");e.rel="manifest",e.href=new URL("./manifest.webmanifest",import.meta.url).href,document.head.append(e)}var $o="";de.watch(()=>{let e=de.get();!("who"in e)||Ie(e.who)===$o||($o=Ie(e.who),Sn(),as(),Cn(),_n.set(null),Qe.set(null),fa(),setTimeout(()=>Nt().catch(()=>null),2e3))});document.documentElement.dataset.blocked||gt().then(()=>{document.querySelector(".before")?.remove(),Vt(o`<${ua} />`,document.body),co()});
//# sourceMappingURL=app.js.map
