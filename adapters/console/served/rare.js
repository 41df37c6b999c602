import{$ as ss,$b as As,$c as Vs,A as V,Aa as Re,Ab as Ss,Ac as Ot,B as ie,Ba as F,Bb as vt,Bc as _t,Ca as se,Cb as Os,D as j,Da as is,Ea as R,Eb as _s,Ec as Hs,Fa as Pe,Fb as Be,Fc as zs,Ga as $s,Gb as Ne,Gc as Xe,H as t,Ha as oe,Hb as Ue,Hc as Ze,I as $e,Ib as ue,Ic as et,Jb as He,Jc as tt,K as k,Ka as cs,Kb as fe,Kc as ve,L as Zt,Lb as ee,Lc as st,Ma as Ae,Mb as ze,Mc as ot,Na as A,Nb as kt,Nc as nt,Ob as Ke,Oc as at,Pb as Ge,Pc as Ks,Qa as Le,Qb as Cs,Rb as Ts,Sa as me,Sc as Gs,T as x,Tc as Qs,U as B,Ub as qs,Uc as Mo,V as te,Vb as Fs,W as ye,Wb as Ds,Wc as rt,X as w,Xb as Es,Xc as Ct,Y as Te,Ya as ms,Yb as Rs,Yc as Js,Z as es,Za as C,Zc as Ys,_ as ts,_a as T,_b as Ps,aa as os,ac as ne,ba as ns,bb as de,bc as Ls,c as y,ca as qe,cb as ds,cc as js,d as W,da as Fe,db as v,dc as Is,dd as Xs,e as Qt,ea as I,ec as Qe,f as Y,fb as ps,fc as Je,ga as G,gb as Z,gc as xt,h as Oe,ha as as,hb as us,hc as Ye,i as o,ia as De,ib as je,id as Zs,ja as we,jb as fs,k as Jt,ka as gt,kb as bs,kc as St,kd as eo,l as Yt,la as Ee,lb as pe,m as P,mb as Ie,n as _e,nb as Me,o as ht,p as K,pa as g,pb as hs,q as Vt,qa as S,r as Xt,ra as X,rb as gs,s as D,sa as rs,sb as ys,t as Ce,ta as ce,tb as ws,u as le,ua as E,ub as vs,uc as Ms,v as L,va as O,vb as ks,vc as Ws,w as h,wb as yt,wc as Bs,xa as ls,xb as xs,xc as Ve,ya as Q,yb as We,yc as Ns,za as _,zb as wt,zc as Us}from"./chunk.js";function to({text:e,onClose:s}){let[n,a]=y({side:1,path:""}),r=()=>{import("./qr.js").then(({drawing:l})=>a(l(e)),()=>a(new ht("no-answer")))};return W(r,[]),o`<${Z} look="dialog" title=${t("line.qr")} onClose=${s}>
    ${n instanceof ht?o`<${E} problem=${n} retry=${r} />`:n?o`<svg class="qr" viewBox="0 0 ${n.side} ${n.side}" role="img" aria-label=${t("line.qr")}><path d=${n.path} /></svg><p class="quiet">${t("line.qr-meaning")}</p>`:o`<p>${t("line.qr-long")}</p>`}
  <//>`}function Wo({id:e}){let{query:s}=D.use(),n=Q(`/lines/${e}`,!0),a=n.value,{reading:r}=Qe(),{prices:l,problem:i}=Cs(),$=!r&&(l||i||!x("lines:spend")),c=Y(()=>{});return o`<${S} title=${a?.username||t("line.title")} named=${a} up="/lines" below=${a&&o`<${Bo} line=${a} />`}
    actions=${a&&$&&o`<${No} line=${a} stop=${()=>c.current()} />`}>
    <${_} of=${a&&!$?{loading:!0}:n}>${m=>o`<${Xo} key=${m.updatedAt} line=${m} changed=${n.set} act=${c} />
      <${Ho} line=${m} doing=${s.get("do")||""} changed=${n.set} />`}<//>
  <//>`}function Bo({line:e}){let{expDate:s}=e,n=!os(s);return o`<p class="glance"><${cs} line=${e} badge /> <span>${t(Date.parse(s)>P()?"line.ends":"line.ended")}${" "}
    <time datetime=${s} title=${w(s)}><b>${n?ns(s):`${ts(s)}, ${ss(s)}`}</b>${!n&&o` <span class="quiet">${Fe(s)}</span>`}</time></span></p>`}function No({line:{username:e,isTrial:s,suspended:n},stop:a}){let r=x("lines:write"),l=t("line.edit");return o`${x("lines:spend")&&o`<${Uo} name=${s?"activate":"extend"} />`}
    ${r&&o`<button type="button" class="button" aria-label=${l} onClick=${()=>L("edit")}><${g} name="pencil" /><span class="wide-only">${l}</span></button>`}
    ${(r||x("lines:delete"))&&o`<${Le} label=${t("more-about",{name:e})} look="button only">
      ${r&&o`<button type="button" onClick=${a}><${g} name=${n?"play":"circle-pause"} />${t(n?"line.resume":"line.suspend")}</button>`}
      ${x("lines:delete")&&o`<hr /><button type="button" class="bad" onClick=${()=>L("delete")}><${g} name="trash-2" />${t("line.delete")}…</button>`}<//>`}`}function Uo({name:e}){let s=qs();return o`<button type="button" class="button primary" aria-haspopup="dialog" data-pay translate=${!s} onClick=${()=>L(e)}>
    ${s?t(e==="extend"?"line.renew-for":"line.activate-for",{cost:De(s)}):t("line."+e)}</button>`}function Ho({line:e,doing:s,changed:n}){let a=Fs(e),r=!e.isTrial,l=x("lines:spend"),i=x("lines:write"),$={activate:!r&&l&&so,extend:r&&l&&so,edit:i&&Vo,suspend:i&&Zo,resume:i&&en,delete:x("lines:delete")&&tn},c=Object.hasOwn($,s)&&$[s];return o`
    ${/suspended|blocked/.test(e.effective||"")&&o`<${X}><p>${t(`line.${e.effective}-means`)}</p><${oo} line=${e} />
      ${i&&e.suspended&&o`<button type="button" class="button" onClick=${()=>L("suspend")}><${g} name="pencil" />${t("reason")}</button>`}<//>`}
    <div class="cols person">
      <${Ko} line=${e} />
      <div class="stack"><${Go} line=${e} payer=${a} /></div>
      <${zo} line=${e} />
    </div>
    ${c&&o`<${c} key=${s} line=${e} payer=${a} changed=${n} />`}`}function zo({line:{id:e,updatedAt:s}}){let n=Ke({line:e}),a=Y(s);return W(()=>{a.current!==s&&n.reload(),a.current=s},[s]),o`<${Ge} of=${{line:e}} latest=${n} />`}function Ko({line:e}){let[s,n]=y(""),[a,r]=y(!1),l=s||js(e,P()),i=Ye(l,e),$=pe(e.whatsapp,e.country),c=Ps(e.telegram),m=c?t("line.telegram-to",{name:"@"+c}):t("line.telegram"),p={target:"_blank",rel:"noopener noreferrer"};return o`<section class="panel sending">
    <h2>${t("line.access")}</h2>
    <fieldset class="choice few short"><legend class="hush">${t("line.message")}</legend>
      ${ne.map(u=>o`<label key=${u}><input type="radio" name="message" value=${u} checked=${u===l} onChange=${()=>n(u)} /><span>${t("messages."+u)}</span></label>`)}
    </fieldset>
    <p class="bubble text" translate=${!1} data-message=${l}>${i}</p>
    <div class="buttons">
      <a class="button send" href=${Me($,i)} ...${p}><${g} name="message-circle" />${$?o`<span><span class="wide-only">${t("line.send-by")} </span>WhatsApp ${Ie($)}</span>`:t("line.whatsapp")}</a>
      <${Ae} text=${i} label=${t("line.copy")} look="button only" />
      <a class="button only" href=${As(c,i)} ...${p} aria-label=${m} title=${m}><${g} name="send" /></a>
      <button type="button" class="button only" aria-label=${t("line.qr")} title=${t("line.qr")} aria-haspopup="dialog" onClick=${()=>r(!0)}><${g} name="qr-code" /></button>
    </div>
    ${e.whatsapp&&!$&&o`<p class="quiet">${t("line.whatsapp-unsure",{number:e.whatsapp})}</p>`}
    ${a&&o`<${to} text=${i} onClose=${()=>r(!1)} />`}
  </section>`}function Go({line:e,payer:s}){let n=e.owner===k().id?null:s?.username||t("reseller.by-id",{id:e.owner});return o`<section class="panel">
      <h2>${t("line.title")}</h2>
      <${A} of=${[[t("username"),o`<span class="copied"><code translate=${!1} data-username>${e.username}</code><${Ae} text=${e.username} label=${t("line.copy-name")} /></span>`],[t("password"),o`<${Qo} of=${e.password} />`],[t("whatsapp"),e.whatsapp],[t("telegram"),e.telegram],[t("email"),e.email],[t("country"),Ee(e.country)],[t("line.since"),Te(e.createdAt)],[t("line.owner"),n&&(B.seeResellers()?o`<${j} to=${"/resellers/"+e.owner}>${n}<//>`:n)],[t("notes"),e.notes&&o`<span class="text">${e.notes}</span>`],[t("line.external-id"),e.external_id]]} />
      <details><summary>${t("line.more")}</summary>
        <${A} of=${[[t("line.platform"),e.idPlatform],[t("line.id"),e.id],[t("changed"),w(e.updatedAt)]]} /></details>
    </section>
    ${e.metadata&&o`<section class="panel members">
      <h2>${t("line.metadata")}</h2>
      <${A} of=${Object.entries(e.metadata).map(([a,r])=>[o`<span class="name" translate=${!1}>${a.split(/(?<=_)/).map(l=>o`${l}<wbr />`)}</span>`,o`<span class="text" translate=${!1}>${r||"—"}</span>`])} />
    </section>`}`}function Qo({of:e}){let[s,n]=y(!1),a=t("password.show");return e===null?o`<span class="quiet">${t("line.password-hidden")}</span>`:o`<span class="copied"><code translate=${!1} data-password>${s?e:"••••••"}</code>
    <button type="button" class="button ghost only" aria-label=${a} title=${a} aria-pressed=${s} onClick=${()=>n(!s)}><${g} name="eye" /></button>
    <${Ae} text=${e} label=${t("line.copy-password")} /></span>`}function so({line:e,payer:s,changed:n}){let a=()=>h();return o`<${Rs} line=${e} onClose=${a}>
    <${e.isTrial?Es:Ds} line=${e} payer=${s} onClose=${a} then=${(r,l)=>{n(r),h(v(t(e.isTrial?"line.activated":"line.extended",{name:r.username,until:w(r.expDate)}),{payer:e.owner,key:l}))}} />
  <//>`}var Jo=e=>Object.entries(e||{}).map(([s,n])=>`${s}: ${n.replaceAll(`
`,`
  `)}`).join(`
`);function Yo(e){let s=new Map,n="",a="";for(let r of e.split(`
`))if(s.size&&r.startsWith("  "))s.set(n,s.get(n)+`
`+r.slice(2));else if(r.trim()){let[,l="",i=""]=r.match(/^ *([a-z0-9_]{1,40}) *:(.*)/s)||[];(!l||s.has(l))&&(a||=t("line.metadata.row",{row:r})),s.set(n=l,i)}return{metadata:s.size?Object.fromEntries(s):null,wrong:a}}function Vo({line:e,changed:s}){let[n]=y(e),a=t("line.edit-title",{name:e.username}),r={username:n.username,password:n.password||"",country:n.country,whatsapp:n.whatsapp||"",telegram:n.telegram||"",email:n.email||"",notes:n.notes||"",external_id:n.external_id||"",metadata:Jo(n.metadata||null)},l=C({name:"edit "+e.id,method:"PATCH",path:`/lines/${e.id}/details`,title:a,fields:r}),{answer:i,fields:$}=l,{metadata:c,wrong:m}=Yo($.metadata),[p,u]=y(l.restored);T(l,()=>{s(i),h(v(t("line.edited",{name:i.username})))});let f=()=>{let b=M=>({...Ne(M),username:te(M.username),password:M.password,external_id:M.external_id.trim()||null}),H=b(r),q=Object.fromEntries(Object.entries(b($)).filter(([M,N])=>N!==H[M]));if($.metadata!==r.metadata&&(q.metadata=c),Object.keys(q).length)return l.send(q);l.cancel(),h()};return o`<${Z} title=${a} onClose=${()=>h()}>
    <${R} form=${l} submit=${t("save")} unclear=${!!m} onClose=${()=>h()} onSubmit=${f}>
      ${!n.isTrial&&o`<fieldset class="group"><legend>${t("messages.access")}</legend><${_s} form=${l} required=${n.password!==null} /></fieldset>`}
      <fieldset class="group"><legend>${t("line.contact")}</legend><${Be} form=${l} /></fieldset>
      <${is} title=${t("line.more")} form=${l} names=${["external_id","metadata"]} open=${!!m}>
        <${F} form=${l} name="external_id" label=${t("line.external-id")} hint=${t("line.external-id.hint")} maxlength="64" />
        <${F} form=${l} name="metadata" label=${t("line.metadata")} hint=${t("line.metadata.hint")} wrong=${p&&m} kind="textarea"
          rows=${Math.min($.metadata.split(`
`).length+3,21)} onBlur=${()=>u(!0)} />
      <//>
    <//>
  <//>`}var oo=({line:{suspension_reason:e}})=>e&&o`<${A} of=${[[t("reason"),o`<span class="text">${e}</span>`]]} />`,lt=({id:e,username:s},n,a="")=>({name:`${n}${a} ${e}`,method:n==="suspend"?"PUT":"DELETE",path:`/lines/${e}/suspension`,title:t(`line.${n}-title`,{name:s})});function no(e,s){let n=e.username,a=s==="suspend"?"resume":"suspend";return e.suspended&&s==="suspend"?v(t("line.edited",{name:n})):v(t(`line.${s}-done`,{name:n}),{undo:{...lt(e,a," again"),body:a==="suspend"?{reason:e.suspension_reason||""}:void 0,said:t(`line.${a}-done`,{name:n})}})}function Xo({line:e,changed:s,act:n}){let a=e.suspended?"resume":"suspend",r=C({...lt(e,a," now"),fields:{}});return n.current=()=>r.send(a==="suspend"?{}:void 0),T(r,()=>{V(no(e,a)),s(r.answer)}),r.state==="unknown"?o`<${Pe} form=${r} />`:r.state==="refused"&&r.problem&&o`<${E} problem=${r.problem} />`}function Zo({line:e,changed:s}){let n=C({...lt(e,"suspend"),fields:{reason:e.suspension_reason||""}});return o`<${ao} form=${n} line=${e} changed=${s} does="suspend"><p>${t("line.suspended-means")}</p><${ze} form=${n} name=${e.username} /><//>`}function en({line:e,changed:s}){let n=C({...lt(e,"resume"),fields:{}});return o`<${ao} form=${n} line=${e} changed=${s} does="resume"><p>${t("line.resume-meaning")}</p><${oo} line=${e} /><//>`}function ao({form:e,line:s,changed:n,does:a,children:r}){let[l]=y(s);return T(e,()=>{n(e.answer),h(no(l,a))}),o`<${Z} title=${t(`line.${a}-title`,{name:s.username})} onClose=${()=>h()}>
    <${R} form=${e} danger=${a==="suspend"} submit=${t("line."+a)} onSubmit=${()=>e.send(a==="suspend"?e.fields:void 0)} onClose=${()=>h()}>${r}<//>
  <//>`}function tn({line:e}){let s=t("line.delete-title",{name:e.username}),n=C({name:"delete "+e.id,method:"DELETE",path:"/lines/"+e.id,title:s,fields:{typed:""},secret:["typed"]});return T(n,()=>le("/lines",v(t("line.deleted",{name:e.username})))),o`<${Z} look="dialog" title=${s} onClose=${()=>h()}>
    <${R} form=${n} danger submit=${t("line.delete")} ready=${te(n.fields.typed)===e.username} onSubmit=${()=>n.send()} onClose=${()=>h()}>
      <p>${t("line.delete-meaning")}</p>
      <${F} form=${n} name="typed" label=${t("line.delete-type",{name:e.username})} autofocus required />
    <//>
  <//>`}var Tt=["month","last","dates"],xe=e=>[e.getFullYear(),e.getMonth()+1,e.getDate()].map(s=>String(s).padStart(2,"0")).join("-"),ke=(e,s)=>new Date(e.getFullYear(),e.getMonth(),e.getDate()+s);function ro(e){let[,s,n,a]=/^(\d{4})-(\d\d)-(\d\d)$/.exec(e||"")||[];return s?new Date(Number(s),Number(n)-1,Number(a)):void 0}function lo(e,s){let n=Tt.find($=>$===e.get("period"))||"month",a=ke(new Date(s),0),r=$=>new Date(a.getFullYear(),a.getMonth()+$,1);if(n==="last")return{which:n,from:r(-1),to:r(0),last:ke(r(0),-1)};if(n==="month")return{which:n,from:r(0),to:r(1),last:a};let[l,i]=[ro(e.get("from"))||r(0),ro(e.get("to"))||a].sort(($,c)=>$.getTime()-c.getTime());return{which:n,from:l,to:ke(i,1),last:i}}function io(e){let s=0n,n=0n;for(let{amount:a}of e)a.startsWith("-")?n-=we(a):s+=we(a);return{came:gt(s),went:gt(n)}}function $o(e,s,{from:n,last:a}){let r=[],l=s,i=e.length-1;for(let $=n;$<=a;$=ke($,1)){for(let c=ke($,1);i>=0&&new Date(e[i].at)<c;i--)l=e[i].balance;r.push({day:$,balance:l})}return r}async function sn(e,s,n){let a=[];for(let r="";;){let{data:l,next_cursor:i,opening:$,closing:c}=await K("GET",e,{query:{...s,limit:500,cursor:r},signal:n});if(a.push(...l),i===null)return{entries:a,opening:$,closing:c};r=i}}function qt(e){let{query:s}=D.use(),n=lo(s,P()),a={from:n.from.toISOString(),to:n.to.toISOString()},r=`/users/${e.id}/ledger`,l=O(r,a,sn),i=l.value,$=es(n.from,n.last),c=!e.is_admin&&o`<${on} of=${i} />`,m=u=>ie({period:u==="month"?"":u,from:"",to:"",...u==="dates"&&{from:xe(n.from),to:xe(n.last)}}),p=(u,f)=>o`<label class="field">${t("statement."+u)}<input class="input" type="date" name=${u} required
    value=${xe(f)} max=${xe(new Date(P()))} onChange=${b=>{b.target.value&&ie({[u]:b.target.value})}} /></label>`;return{actions:o`<button type="button" class="button ghost print" disabled=${!i} onClick=${()=>print()}><${g} name="printer" /><span>${t("print")}</span></button>
      <${Zs} of="ledger" query=${{account:e.id,...a}} label=${t("statement.csv")} look="button" />`,shown:o`<div class="statement">
      <${zs} title=${t("print.statement",{name:e.username})} more=${()=>o`<p>${$}</p>
        ${i?o`${c}<table class="table ledger"><thead>${Ot()}</thead><tbody>${i.entries.map(_t)}</tbody></table>`:t("list.loading")}`} />
      <div class="period">
        <div class="seg" role="group" aria-label=${t("statement.period")}>
          ${Tt.map(u=>o`<button key=${u} type="button" aria-pressed=${u===n.which} onClick=${()=>m(u)}>${t("statement."+u)}</button>`)}
        </div>
        <p class="quiet" role="status">${$}</p>
        ${n.which==="dates"&&o`<div class="dates">${p("from",n.from)}${p("to",n.last)}</div>`}
      </div>
      ${l.problem&&o`<${E} problem=${l.problem} retry=${l.reload} />`}
      ${c&&o`${c}<${Hs} days=${i&&$o(i.entries,i.opening,n)} />`}
      <${me} path=${r} query=${a} row=${_t} head=${Ot()} look="dense ledger"
        count=${u=>t("statement.count",{n:u,count:I(u)})} label=${t("nav.statement")} empty=${t("statement.none")} />
    </div>`}}function co({account:e}){let{actions:s,shown:n}=qt(e);return o`<div class="head"><h2>${t("nav.statement")}</h2><div class="actions">${s}</div></div>${n}`}function on({of:e}){let{came:s,went:n}=io(e?e.entries:[]),a=l=>we(l)?as(l):"0",r=[[t("statement.opening"),e&&G(e.opening)],[t("statement.in"),a(s)],[t("statement.out"),a("-"+n)],[t("statement.closing"),e&&G(e.closing)]];return o`<dl class="sums panel" aria-busy=${!e}>${r.map(([l,i])=>o`<div key=${l}><dt>${l}</dt><dd>${e?i:"…"}</dd></div>`)}</dl>`}function be(e){let s=e.id===k().id;return{mine:s,write:x("users:write"),moves:B.manage(e,"credits:move"),blocks:B.manage(e,"users:write"),resets:B.manage(e,"manage"),held:x("users:read")&&(s?!e.is_admin:B.manage(e,""))}}function nn({id:e}){let{query:s}=D.use(),n=Q(`/users/${e}`),a=n.value,[r,l]=y(0),i=Ms(a&&be(a).held?a.id:null),$=s.get("do")||"",c=a&&an(a,$),m=a&&be(a).moves&&/^(topup|reclaim)$/.test($),p=u=>{if(l(r+1),m)return h(u);V(u),n.reload()};return fe(),o`<${S} title=${a?.username||t("reseller.title")} named=${a} up="/resellers" actions=${a&&!c&&o`<${rn} reseller=${a} />`}>
    <${_} of=${n}>${()=>c?o`<${c} reseller=${a} alerts=${i} />`:o`<${ln} reseller=${a} alerts=${i} turn=${r} />`}<//>
    ${m?o`<${bs} key=${$} reseller=${a} name=${$} onClose=${u=>u?p(u):h()} />`:o`<${fs} then=${p} />`}
  <//>`}function an(e,s){let{write:n,held:a,blocks:r,resets:l}=be(e),i={block:r&&!e.block_reseller&&pn,unblock:r&&e.block_reseller&&fn,contact:n&&mo,password:n&&mo,alert:a&&n&&hn,totp:l&&bn};return Object.hasOwn(i,s)&&i[s]}function rn({reseller:e}){let{mine:s,write:n,moves:a,held:r,resets:l}=be(e),i=($,c,m)=>o`<button type="button" onClick=${()=>L($)}><${g} name=${c} />${m}</button>`;return o`${a&&o`<button type="button" class="button primary" aria-haspopup="dialog" onClick=${()=>je.set({reseller:e,name:"topup"})}><${g} name="plus" />${t("reseller.topup")}</button>`}
    ${n&&o`<button type="button" class="button" onClick=${()=>L("contact")}>${t("reseller.contact")}</button>`}
    ${(a||s||r&&n||l)&&o`<${Le} label=${t("more-about",{name:e.username})} look="button only">
      ${a&&o`<button type="button" onClick=${()=>je.set({reseller:e,name:"reclaim"})}><${g} name="coins" />${t("reseller.reclaim")}</button>`}
      ${r&&n&&i("alert","bell",t("alert"))}
      ${s&&o`<${j} to="/sessions"><${g} name="shield-check" />${t("nav.sessions")}<//>`}
      ${l&&o`<hr />${i("totp","shield-x",t("reseller.totp")+"…")}`}<//>`}`}function ln({reseller:e,alerts:s,turn:n}){let{moves:a,blocks:r,mine:l,held:i}=be(e),{id:$,username:c}=e,m={account:$},p=Ke(m),u=e.is_admin?"admin":e.is_master?"master":"reseller",f=s.value?.balance_low,b=hs(e,f),H=!x("events:read")||p.value||p.problem;return o`
    <p class="glance"><span class="badge"><${g} name="store" />${t("role."+u)}</span>${!e.active_tree&&o`<${gs} reseller=${e} badge />`}<span class="quiet">${t("reseller.since",{date:Te(e.createdAt)})}</span></p>
    <${Ve} of=${"reseller "+$} name=${c} number=${pe(e.whatsapp,e.country)} />
    <div class="cols">
      <div class="stack">
        ${!e.is_admin&&o`<section class="panel"><h2>${t("balance")}</h2><div class="top-up-in">
          <div><p class="big" data-balance=${e.credits}><${oe} of=${e.credits} /></p>
            ${i&&!l&&o`<p class="low">${b&&o`<${g} name="trending-down" />${t(f?"reseller.low-alert":"home.low",{amount:G(b)})}`}</p>`}</div>
          ${a&&o`<div class="adds" role="group" aria-label=${t("reseller.topup")}>${us.map(q=>o`<button key=${q} type="button" class="button" aria-haspopup="dialog" translate=${!1} data-add=${q}
            onClick=${()=>je.set({reseller:e,name:"topup",amount:q})}>+${q}</button>`)}</div>`}</div></section>`}
        ${x("lines:read")&&o`<${cn} reseller=${e} />`}
        ${H?o`${!!(e.is_master||e.is_admin)&&o`<section class="panel"><h2>${t("reseller.below")}</h2><${ys} key=${n} master=${$} /></section>`}<${Ge} of=${m} latest=${p} />`:o`<${Re} />`}
      </div>
      ${H&&o`<div class="stack">
        ${e.block&&o`<section class="panel"><h2>${t("reseller.blocked")}</h2><${po} of=${e.block} /></section>`}
        <section class="panel"><h2>${t("line.record")}</h2><${A} of=${[[t("reseller.role"),t("role."+u)],[t("whatsapp"),e.whatsapp],[t("telegram"),e.telegram],[t("email"),e.email],[t("country"),Ee(e.country)],[t("notes"),e.notes&&o`<span class="text">${e.notes}</span>`],[t("reseller.master"),e.master&&!l?o`<${mn} id=${e.master} />`:null],[t("alert.field"),s.value?f?o`<${oe} of=${f} />`:t("alert.none"):i&&!s.problem?"…":null],[t("reseller.recharged"),e.is_admin?null:w(e.recharge)],[t("line.id"),$],[t("created"),w(e.createdAt)],[t("changed"),w(e.updatedAt)]]} /></section>
        ${r&&o`<section class="panel"><h2>${t(e.block_reseller?"reseller.unblock":"reseller.block")}</h2>
          <p class="quiet">${t(e.block_reseller?"reseller.unblock-meaning":"reseller.block-meaning")}</p>
          ${e.block_reseller?o`<button type="button" class="button" onClick=${()=>L("unblock")}><${g} name="lock-open" />${t("reseller.unblock-title",{name:c})}</button>`:o`<button type="button" class="button danger-plain" onClick=${()=>L("block")}><${g} name="lock" />${t("reseller.block-title",{name:c})}…</button>`}</section>`}
      </div>`}
    </div>
    ${H&&x("ledger:read")&&o`<${co} key=${n} account=${e} />`}`}var $n=[["running","circle-check","good"],["soon","clock-alert","warn"],["past","circle-x","bad"],["trials","circle-dashed","plain"]];function cn({reseller:{id:e}}){let{value:s,problem:n,reload:a}=O("/reports/summary",{account:e,days:1}),r=s?.lines,l=i=>"/lines?"+new URLSearchParams(eo({owner:e,...i}));return o`<section class="panel"><header><h2>${t("nav.lines")}</h2><${j} class="button link" to=${l({})}>${t("home.all")}<//></header>
    ${n&&o`<${E} problem=${n} retry=${a} />`}
    <ul class="tiles">${$n.map(([i,$,c])=>o`<li key=${i}><${j} class="tile" to=${l(St[i][1])} data-count=${i}>
      <span class="figure">${r?I(r[St[i][0]])+(r.capped?"+":""):" "}</span><span><${rs} icon=${$} tone=${c}>${t("tabs."+i)}<//></span><//></li>`)}</ul>
  </section>`}function mn({id:e}){let s=ms(e);return e===k().id?s:o`<${j} to=${"/resellers/"+e}>${s||t("reseller.by-id",{id:e})}<//>`}var Ft=({reseller:e,name:s,path:n="block",...a})=>o`<${ee} name=${`${s} ${e.id}`} path=${`/users/${e.id}/${n}`}
  title=${t(`reseller.${s}-title`,{name:e.username})} meaning=${t(`reseller.${s}-meaning`)} submit=${t("reseller."+s)} danger=${s!=="unblock"} ...${a}
  then=${()=>h(v(t(`reseller.${s}-done`,{name:e.username}),s==="block"?{undo:dn(e)}:{}))} />`,dn=({id:e,username:s})=>({name:"unblock "+e,method:"DELETE",path:`/users/${e}/block`,title:t("reseller.unblock-title",{name:s}),said:t("reseller.unblock-done",{name:s})}),po=({of:{lines:e,reason:s,at:n}})=>o`<${A} of=${[[t("nav.lines"),t("block."+e)],[t("block.since"),n&&w(n)],[t("reason"),s&&o`<span class="text">${s}</span>`]]} />`;function pn(e){let{id:s,username:n}=e.reseller,a=x("lines:read"),r=O(a?"/reports/summary":null,{tree:s,days:1});return o`<${Ft} ...${e} name="block" method="PUT" fields=${{lines:"run",reason:""}}>${l=>o`
    <${se} form=${l} name="lines" label=${t("block.lines")} of=${["run","suspend"].map(i=>[i,t("block."+i),t(`block.${i}-means`)])} />
    ${a&&l.fields.lines==="suspend"&&o`<${_} of=${r}>${un}<//>`}
    <${ze} form=${l} name=${n} />`}<//>`}function un({lines:{running:e,trials:s,capped:n}}){let a=e+s,r=I(a);return o`<p role="status" data-stops=${a}><strong>${t("block.stops",{n:a,lines:n?t("at-least",{n:r}):r})}</strong></p>`}var fn=({reseller:e})=>o`<${Ft} reseller=${e} name="unblock" method="DELETE">
  ${()=>e.block&&o`${e.block.lines==="suspend"&&o`<p>${t("block.over")}</p>`}<${po} of=${e.block} />`}<//>`,bn=e=>o`<${Ft} ...${e} name="totp" method="DELETE" path="totp" />`;function mo({reseller:e}){let s=t("reseller.contact-title",{name:e.username}),{mine:n}=be(e),a=D.get().query.get("do")==="password",r=C({name:"contact "+e.id,method:"PATCH",path:`/users/${e.id}/contact`,title:s,secret:["password"],fields:{country:e.country,whatsapp:e.whatsapp||"",telegram:e.telegram||"",email:e.email||"",notes:e.notes||"",username:e.username,password:""}}),{fields:{username:l,password:i},answer:$}=r;T(r,()=>h(v(t(i?"password.changed":"reseller.contact-done",{name:$.username}))));let c=()=>r.send({...Ne(r.fields),...!n&&te(l)!==e.username&&{username:l},...!n&&i&&{password:i}});return o`<section class="panel"><h2>${s}</h2>
    <${R} form=${r} submit=${t("save")} onSubmit=${c} onClose=${()=>h()}>
      <${Be} form=${r} />
      ${!n&&o`<details open=${a||!!i||l!==e.username}><summary>${t("reseller.password")}</summary>
        <${F} form=${r} name="username" label=${t("username")} maxlength="64" required />
        <${F} form=${r} name="password" label=${t("password.new")} hint=${t("password.meaning")} type="password" autocomplete="new-password" minlength="6" maxlength="128" /></details>`}
    <//>
  </section>`}var hn=({reseller:e,alerts:s})=>o`<${_} of=${s}>${n=>o`<${Ws} account=${e} alerts=${n} changed=${s.set} />`}<//>`;function gn(){let{actions:e,shown:s}=qt(k());return o`<${S} title=${t("nav.statement")} actions=${e}>${s}<//>`}var Dt=50,yn=()=>o`<${S} title=${t("nav.jobs")}>
  <${me} path="/bulk" label=${t("nav.jobs")} empty=${t("job.none")} row=${e=>o`<${j} class="row job-row" to=${"/jobs/"+e.id} data-row>
    <span class="name">${We(e)}</span><span class="quiet">${vt(e)}</span><span class="quiet">${w(e.created_at)}</span><//>`} />
<//>`;function wn({id:e}){let s=O(`/bulk/${e}`),n=yt.use(),a=n?.id===Number(e)?n:s.value;return W(()=>{s.value?.status==="running"&&xs(s.value)},[s.value]),o`<${S} title=${a?We(a):t("nav.jobs")} up="/lines">
    <${_} of=${a?{value:a}:s}>${r=>o`<${vn} job=${r} />
      <p><${j} to="/jobs">${t("job.all")}<//></p>`}<//>
  <//>`}function vn({job:e}){let s=e.status==="running",n=Xs[e.action]||"lines:write";return o`<section class="panel" data-job=${e.status}>
    ${s&&o`<progress role="progressbar" max=${e.matched} value=${e.done} aria-valuenow=${e.done} aria-valuemin="0" aria-valuemax=${e.matched}
      aria-label=${We(e)} aria-valuetext=${Ss(e)}></progress>`}
    <p class="glance" role=${s?void 0:"status"}>${vt(e)}</p>
    ${s&&x(n)&&o`<${kn} job=${e} />`}
    ${!s&&!e.dry_run&&o`<${A} of=${[[t("job.charged"),e.charged!=="0"&&o`<${oe} of=${e.charged} />`],[t("job.left"),e.status==="stopped"&&wt(e.matched-e.done)],[t("job.began"),w(e.created_at)],[t("job.ended"),e.finished_at&&w(e.finished_at)]].filter(([,a])=>a)} />`}
  </section>
  ${!s&&!e.dry_run&&e.done>0&&o`<${xn} job=${e} />`}`}function kn({job:e}){let s=C({name:"stop "+e.id,method:"DELETE",path:"/bulk/"+e.id,title:t("job.stop"),fields:{}});return T(s,()=>yt.set(s.answer)),o`<${R} form=${s} danger submit=${t("job.stop")} onSubmit=${()=>s.send()} />`}function xn({job:{id:e,refused:s}}){let[n,a]=y(null),[r,l]=y(null),i=()=>{let $=new AbortController,c={},m=s;return l(null),Xt(`/bulk/${e}/results`,({line:p,code:u,line_username:f})=>{if(!u)return!0;let b=c[u]||={n:0,lines:[]};return b.n++<Dt&&b.lines.push({line:p,name:f||t("job.line",{id:p})}),--m>0},$.signal).then(()=>a(c),p=>{$.signal.aborted||l(p)}),()=>$.abort()};return W(()=>s?i():void 0,[]),o`${s>0&&o`<section class="panel" aria-busy=${!n&&!r}><h2>${t("job.refused",{n:s,count:I(s)})}</h2>
    ${r&&o`<${E} problem=${r} retry=${i} />`}
    ${n&&Object.entries(n).map(([$,{n:c,lines:m}])=>o`<div key=${$} data-why=${$}>
      <p>${wt(c)}: ${Os($)}</p>
      <ul class="names">${m.map(({line:p,name:u})=>o`<li key=${p} class="name" translate=${!1}>${$==="not-found"?u:o`<${j} to=${"/lines/"+p}>${u}<//>`}</li>`)}${c>Dt&&o`<li class="quiet">${t("job.more",{n:c-Dt})}</li>`}</ul></div>`)}
  </section>`}
  <div class="buttons"><a class="button" href=${`${_e}/bulk/${e}/results`} download=${`job-${e}.ndjson`}><${g} name="download" />${t("job.save")}</a></div>`}var uo={lines:["line.*"],jobs:["bulk.*"],credits:["reseller.credited","reseller.reclaimed","line.activated","line.extended","balance.*"],accounts:["reseller.*","operator.*"],access:["session.*","token.*","password.*","totp.*"],keys:["key.*","staff.*"],webhooks:["webhook.*"]},fo=["what","mine","line","account"];function Sn(){let{query:e}=D.use(),s=e.get("what")||"",n={type:uo[s],account:e.get("mine")?k().id:e.get("account"),line:e.get("line")},{from:a,entries:r,problem:l,reload:i}=ws(n),$=fo.some(m=>e.get(m)),c=(m,p,u)=>o`
    <select aria-label=${p} value=${e.get(m)||""} onChange=${f=>ie({[m]:f.target.value})}>
      ${u.map(([f,b])=>o`<option key=${f} value=${f}>${b}</option>`)}
    </select>`;return o`<${S} title=${t("nav.activity")}>
    <div class="filters">
      ${c("what",t("activity.what"),[["",t("activity.all")],...Object.keys(uo).map(m=>[m,t("activity."+m)])])}
      ${B.haveBelow()&&c("mine",t("filter.whose"),[["",t("filter.everyone")],["1",t("filter.mine")]])}
      ${$&&o`<button type="button" class="button" onClick=${()=>ie(Object.fromEntries(fo.map(m=>[m,""])))}>
        <${g} name="x" />${t("filter.clear")}</button>`}
    </div>
    <div aria-live="polite">
      ${r.length>0&&o`<ul class="rows" aria-label=${t("activity.new")}>${r.map(m=>o`<li key=${m.id}>${kt(m)}</li>`)}</ul>`}
    </div>
    ${a===null&&l&&o`<${E} problem=${l} retry=${i} />`}
    ${a!==null&&o`<${me} path="/events" query=${{...n,order:"desc"}} row=${m=>m.seq>a?null:kt(m)}
      label=${t("nav.activity")} lasting empty=${t($?"activity.none-such":"activity.none")} />`}
  <//>`}var On=10,bo=80;function _n(){let{query:e}=D.use();return e.get("do")==="create"?o`<${qn} />`:o`<${Cn} />`}var Cn=()=>o`<${Ue} path="/webhooks" title=${t("nav.webhooks")} meaning=${t("webhook.meaning")} add=${t("webhook.new")} most=${On}
  full=${t("problem.too-many-webhooks")} empty=${t("webhook.none")} row=${e=>o`<${Tn} webhook=${e} />`} />`,Tn=({webhook:e})=>o`<${j} class="row webhook" to=${"/webhooks/"+e.id} data-row>
  <span class="name">${e.url.length>bo?e.url.slice(0,bo-1)+"…":e.url}${e.description&&o`<span class="notes quiet">${e.description}</span>`}</span>
  <${tt} webhook=${e} />
  <span class="quiet">${Ze(e)} · ${et(e)}</span>
  ${!e.enabled&&o`<span>${ve(e).join(" ")}</span>`}
<//>`;function qn(){let e=C({name:"webhook",method:"POST",path:"/webhooks",title:t("webhook.new"),place:"/webhooks?do=create",fields:st()}),{fields:s,answer:n}=e;return T(e,()=>{ue.set({of:"webhook "+n.id,secret:n.secret}),Ce("/webhooks/"+n.id,{replace:!0,state:v(t("webhook.created"))})}),o`<${S} title=${t("webhook.new")} up="/webhooks"><section class="panel">
    <${R} form=${e} submit=${t("reseller.create")} ready=${nt(s)} onSubmit=${()=>e.send(ot(s))} onClose=${()=>h()}>
      <${at} form=${e} />
    <//>
  </section><//>`}var Fn=1e3,Dn=25e3,ho=10,it=e=>e?.find(({event:s})=>s.startsWith("test_")),En=e=>e.replace(/.*_/,""),go=({error:e,cause:s})=>$e("delivery.tls."+s)?t("delivery.tls."+s):$e("delivery.why."+e)?t("delivery.why."+e):e,yo=({of:{answer:e}})=>e&&o`<span class="text">${t("delivery.answer")} <bdi>${e}</bdi></span>`;function wo(e,s){let n=O(`/webhooks/${e}/deliveries`),[a,r]=y(null);W(()=>{if(!s||!a||a.over)return;let i=new AbortController;return l(i.signal),()=>i.abort()},[s,a]);let l=async i=>{for(let $=Date.now()+Dn;Date.now()<$;){if(await ks(i,Fn),await vs(i),i.aborted)return;try{let c=await K("GET",`/webhooks/${e}/deliveries`,{signal:i});if(n.set(c),a?.test&&it(c.data)?.event!==a.before)break}catch{}}i.aborted||r($=>$&&{...$,over:!0})};return{...n,test:a?.test&&it(n.value?.data)?.event!==a.before?it(n.value?.data):void 0,watched:a,watch:(i=!1)=>r({test:i,before:it(n.value?.data)?.event,over:!1})}}function vo({of:{test:e,watched:s}}){return s?.test?e?e.error?o`<${X} tone="bad"><p>${t("webhook.test-failed",{why:go(e)})} <${yo} of=${e} /></p><//>`:o`<${X} tone="good"><p>${t("webhook.test-arrived",{status:e.http_status,ms:I(e.duration_ms)})}</p><//>`:o`<${X} tone=${s.over?"unsure":"plain"}><p>${t(s.over?"webhook.test-late":"webhook.test-sent")}</p><//>`:null}function ko({of:e,enabled:s,refresh:n}){let[a,r]=y(!1);return o`<section class="panel"><h2>${t("delivery.attempts")}</h2>
    <${_} of=${e}>${({data:l})=>o`
      ${l.length?o`<ul class="rows">${l.slice(0,a?l.length:ho).map(i=>o`<li key=${i.event+i.attempt+i.at}>
        <${Pn} of=${i} goesOn=${s&&l.find(({event:$})=>$===i.event)===i} /></li>`)}</ul>`:o`<p class="quiet">${t("delivery.none")}</p>`}
      <div class="buttons">
        ${l.length>ho&&!a&&o`<button type="button" class="button" onClick=${()=>r(!0)}>${t("home.all")}</button>`}
        <button type="button" class="button" disabled=${e.loading} onClick=${n}><${g} name="rotate-cw" />${t("list.refresh")}</button>
      </div>`}<//>
  </section>`}var Rn=e=>e&&Date.parse(e)>P()&&(Date.parse(e)<P()+6e4?t("delivery.soon"):t("delivery.next",{at:Fe(e)}));function Pn({of:e,goesOn:s}){let n=[e.http_status&&t("delivery.status",{status:e.http_status}),I(e.duration_ms)+" ms",e.attempt>1&&t("delivery.attempt",{n:e.attempt}),s&&Rn(e.next_attempt_at)];return o`<div class="row delivery">
    <span class="name">${t(e.event.startsWith("test_")?"delivery.test":"delivery.entry",{n:En(e.event)})}</span>
    <${ce} good=${!e.error}>${t(e.error?"delivery.failed":"delivery.arrived")}<//>
    ${e.error&&o`<span>${go(e)}</span>`}
    <${yo} of=${e} />
    <span class="quiet"><time datetime=${e.at}>${w(e.at)}</time>${n.filter(Boolean).map(a=>" · "+a)}</span>
  </div>`}function An({id:e}){let{query:s}=D.use(),n=Q(`/webhooks/${e}`);return fe(),o`<${S} title=${n.value?Xe(n.value):t("nav.webhooks")} up="/webhooks">
    <${_} of=${n}>${a=>o`<${Ln} webhook=${a} doing=${s.get("do")||""} changed=${n.set} reload=${n.reload} />`}<//>
  <//>`}function Ln({webhook:e,doing:s,changed:n,reload:a}){let[r,l]=y(0),i={edit:In,enable:!e.enabled&&xo,disable:e.enabled&&xo,rotate:Wn,replay:e.enabled&&Un,delete:Hn},$=Object.hasOwn(i,s)&&i[s],c=wo(e.id,!$);if($)return o`<${$} key=${s} webhook=${e} changed=${n} sent=${c.watch} />`;let m=(u,f,b="")=>o`<button type="button" class=${"button "+b} onClick=${()=>L(u)}>${t(f)}</button>`,p=()=>{c.watch(!0),l(r+1)};return o`
    <${He} of=${"webhook "+e.id} title=${t("webhook.secret")} meaning=${t("webhook.secret-once")} copy=${t("webhook.secret-copy")} />
    <p class="glance"><${tt} webhook=${e} /></p>
    ${!e.enabled&&o`<${X} tone="unsure"><p><strong>${ve(e)[0]}</strong></p><p>${ve(e)[1]} ${t("webhook.meanwhile")}</p><//>`}
    <div class="buttons">
      ${e.enabled?o`<${jn} key=${r} webhook=${e} ready=${!!c.value} sent=${p} />`:m("enable","webhook.enable","primary")}
      ${m("edit","line.edit")}${m("rotate","webhook.rotate")}
      ${e.enabled&&o`${m("replay","webhook.replay")}${m("disable","webhook.disable")}`}
      ${m("delete","line.delete","danger-plain")}
    </div>
    <div aria-live="polite">${e.enabled&&o`<${vo} of=${c} />`}</div>
    <section class="panel">
      <h2>${t("line.record")}</h2>
      <${A} of=${[[t("webhook.url"),e.url],[t("webhook.types"),Ze(e)],[t("filter.whose"),et(e)],[t("webhook.description"),e.description&&o`<span class="text">${e.description}</span>`],[t("line.id"),e.id],[t("created"),w(e.created_at)]]} />
    </section>
    <${ko} of=${c} enabled=${e.enabled} refresh=${()=>{c.reload(),a()}} />`}function jn({webhook:e,ready:s,sent:n}){let a=C({name:"test "+e.id,method:"POST",path:`/webhooks/${e.id}/test`,title:he("webhook.test",e),fields:{}}),{state:r,problem:l}=a;return T(a,n),o`<div class=${r==="unknown"||l?"wide":""} data-form=${r}>
    ${r==="unknown"?o`<${Pe} form=${a} />`:o`<button type="button" class="button primary" disabled=${a.frozen||!s} onClick=${()=>a.send({})}>${t(r==="sending"?"form.sending":"webhook.test")}</button>`}
    ${r==="refused"&&l&&o`<${E} problem=${l} />`}
  </div>`}var he=(e,s)=>`${t(e)}: ${Xe(s)}`;function In({webhook:e,changed:s}){let n=he("line.edit",e),a=C({name:"edit webhook "+e.id,method:"PATCH",path:"/webhooks/"+e.id,title:n,fields:st(e)});return T(a,()=>{s(a.answer),h(v(t("webhook.edited")))}),o`<section class="panel"><h2>${n}</h2>
    <${R} form=${a} submit=${t("save")} ready=${nt(a.fields)} onSubmit=${()=>a.send(ot(a.fields))} onClose=${()=>h()}>
      <${at} form=${a} />
    <//>
  </section>`}function xo({webhook:e,changed:s,sent:n}){let a=e.enabled?"webhook.disable":"webhook.enable",r=he(a,e);return o`<${ee} name=${`${a} ${e.id}`} method="PATCH" path=${"/webhooks/"+e.id} title=${r} meaning=${t(a+"-meaning")} submit=${t(a)}
    body=${{enabled:!e.enabled}} then=${l=>{h(v(t(a+"-done"))),s(l),e.enabled||n()}} />`}var Mn=[24,72,168,0];function Wn({webhook:e}){let s=he("webhook.rotate",e),n=C({name:"rotate "+e.id,method:"POST",path:`/webhooks/${e.id}/rotate`,title:s,place:`/webhooks/${e.id}?do=rotate`,fields:{overlap_hours:24}});return T(n,()=>{let{secret:a,previous_expires_at:r}=n.answer;ue.set({of:"webhook "+e.id,secret:a}),h(v(r?t("webhook.rotated-until",{at:w(r)}):t("webhook.rotated")))}),o`<section class="panel"><h2>${s}</h2>
    <${R} form=${n} submit=${t("webhook.rotate")} onSubmit=${()=>n.send(n.fields)} onClose=${()=>h()}>
      <p>${t("webhook.rotate-meaning")}</p>
      <${se} form=${n} name="overlap_hours" label=${t("webhook.overlap")} of=${Mn.map(a=>[a,a?t("period.day",{n:a/24}):t("webhook.overlap-none")])} />
    <//>
  </section>`}var Bn=36e5;async function Nn(e,{hours:s,...n},a){let r=new Date(P()-s*Bn).toISOString(),l=0,i=0,$="",c="";for(let m=0;c!==null&&m<Vt;m++){let{data:p,next_cursor:u}=await K("GET",e,{query:{...n,order:"desc",limit:500,cursor:c},signal:a}),f=p.filter(b=>b.timestamp>=r);l+=f.length,f.length&&({seq:i,timestamp:$}=f[f.length-1]),c=f.length<p.length?null:u}return{n:l,seq:i,at:$}}function Un({webhook:e,sent:s}){let n=he("webhook.replay",e),a=C({name:"replay "+e.id,method:"POST",path:`/webhooks/${e.id}/replay`,title:n,fields:{from:"1",number:""}}),{from:r,number:l}=a.fields,i=r==="entry",$=O(i?null:"/events",{hours:r,type:e.types.includes("*")?[]:e.types,account:e.scope==="own"?k().id:""},Nn),c=i?/^[1-9]\d{0,14}$/.test(ye(l))&&Number(ye(l)):$.value?.seq;return T(a,()=>{h(v(t("webhook.replayed"))),s()}),o`<section class="panel"><h2>${n}</h2>
    <${R} form=${a} submit=${t("webhook.replay")} ready=${!!c} onSubmit=${()=>a.send({after_seq:Number(c)-1})} onClose=${()=>h()}>
      <p>${t("webhook.replay-meaning")}</p>
      <${se} form=${a} name="from" label=${t("webhook.replay-from")} of=${["1","24","168","entry"].map(m=>[m,t("webhook.replay."+m)])} />
      ${i?o`<${F} form=${a} name="number" label=${t("webhook.replay-number")} hint=${t("webhook.replay-hint")} inputmode="numeric" maxlength="15" required />`:o`<${_} of=${$}>${({n:m,at:p})=>o`<p role="status">${m?t("webhook.replay-count",{n:m,at:w(p)}):t("webhook.replay-nothing")}</p>`}<//>`}
    <//>
  </section>`}var Hn=({webhook:e})=>o`<${ee} name=${"delete webhook "+e.id} method="DELETE" path=${"/webhooks/"+e.id} title=${he("line.delete",e)}
  meaning=${t("webhook.delete-meaning")} submit=${t("line.delete")} danger then=${()=>le("/webhooks",v(t("webhook.deleted",{host:Xe(e)})))} />`;var _o=["read_only","support","cashier","manager"],So=["lines:read","lines:passwords","lines:write","lines:spend","lines:delete","users:read","users:write","credits:move","ledger:read","events:read","entitlements:read","prices:write","manage"],Oo=(e,s)=>$e(`${e}.${s}`)?t(`${e}.${s}`):s,$t=e=>e.role?Oo("rights",e.role):e.scopes.map(s=>Oo("scope",s)).join("; "),Et=e=>$e(`rights.${e}-means`)?t(`rights.${e}-means`):"",Rt=({spend_limit:e,spent:s})=>e?t("limit.spent",{spent:G(s),limit:De(e.credits)}):t("limit.none"),Pt=({last_used_at:e,last_used_address:s})=>e?t("key.used",{at:w(e),address:s||""}):t("key.unused");function At({one:{expires_at:e}}){let s=!e||new Date(e).getTime()>P();return o`<${ce} good=${s}>${t("line.state."+(s?"active":"expired"))}<//>`}var ct=e=>new Date(new Date(e).getTime()-new Date(e).getTimezoneOffset()*6e4).toISOString().slice(0,10),Lt=(e,s)=>({...e==="key"?{name:s?.name||"",expires_at:s?.expires_at?ct(s.expires_at):"",allowed_addresses:s?.allowed_addresses.join(`
`)||""}:{username:s?.username||"",...s?{}:{password:""}},role:s?s.role||"":_o[0],scopes:s?.scopes||[],credits:s?.spend_limit?G(s.spend_limit.credits):""});function jt({role:e,scopes:s,credits:n,expires_at:a,allowed_addresses:r,...l},i){let{amount:$}=de(n);return{...l,...e?{role:e}:{scopes:s},spend_limit:$?{credits:$,per:"day"}:null,...r===void 0?{}:{allowed_addresses:ye(r).split(/[\s,;]+/).filter(Boolean),expires_at:a?i?.expires_at&&ct(i.expires_at)===a?i.expires_at:new Date(a+"T23:59:59").toISOString():null}}}var It=({role:e,scopes:s})=>!!e||s.length>0;function Mt({form:e,kind:s,...n}){let{fields:a}=e,r=(l,i)=>e.set({scopes:So.filter($=>$===l?i:a.scopes.includes($))});return o`
    ${s==="key"?o`<${F} form=${e} name="name" label=${t("key.name")} hint=${t("key.name-hint")} maxlength="64" required />`:o`<${F} form=${e} name="username" label=${t("username")} hint=${t("staff.username-hint")} maxlength="64" required />
        ${"password"in a&&o`<${F} form=${e} name="password" label=${t("password")} hint=${t("password.generated")} minlength="6" maxlength="128" required />`}`}
    <${se} form=${e} name="role" label=${t("rights")} of=${[..._o,""].map(l=>[l,t("rights."+(l||"own")),Et(l||"own")])} />
    ${!a.role&&o`<fieldset class="choice few" disabled=${e.frozen} aria-label=${t("rights.own")}>
      ${!a.scopes.length&&o`<p class="quiet">${t("webhook.choose")}</p>`}
      ${So.filter(x).map(l=>o`<label key=${l}>
        <input type="checkbox" value=${l} checked=${a.scopes.includes(l)} onChange=${i=>r(l,i.target.checked)} />
        <span>${t("scope."+l)}</span></label>`)}
    </fieldset>`}
    <${ds} form=${e} typed=${de(a.credits)} label=${t("limit")} hint=${t("limit.hint")} required=${!1} />
    ${s==="key"&&o`
      <${F} form=${e} name="expires_at" label=${t("key.expires")} hint=${t("key.expires-hint")} type="date" max="9999-12-31" ...${n} />
      <${F} form=${e} name="allowed_addresses" label=${t("key.addresses")} hint=${t("key.addresses-hint")} kind="textarea" rows="2" maxlength="2500" />`}`}function zn(){let{query:e}=D.use(),s=e.get("do")||"",n=Q("/auth/session"),a={password:Ns,name:!k().staff&&Kn,totp:Gs,"no-totp":Qs},r=Object.hasOwn(a,s)&&a[s];return r?o`<${S} title=${t("nav.sessions")}><${r} of=${n} /><//>`:o`<${S} title=${t("nav.sessions")}>
    <div class="buttons"><button type="button" class="button" onClick=${()=>L("password")}>${t("password.change")}</button>
      ${!k().staff&&o`<button type="button" class="button" onClick=${()=>L("name")}>${t("name.change")}</button>`}</div>
    <${_} of=${n}>${l=>o`<${Ks} on=${l.totp} /><${Gn} />`}<//>
  <//>`}function Kn(){let e=O("/users/logged");return o`<${_} of=${e}>${s=>o`<${Us} account=${s} />`}<//>`}function Gn(){let e=O("/auth/sessions");return o`<h2>${t("sessions")}</h2><p>${t(k().staff?"sessions.own-meaning":"sessions.meaning")}</p><${Wt} of=${e} />`}function Wt({of:e,name:s}){return o`<${_} of=${e}>${n=>{let a=n.filter(r=>!s||r.staff===s);return a.length?o`<ul class="rows">${a.map(r=>o`<li key=${r.id}><${Qn} session=${r} ended=${e.reload} /></li>`)}</ul>`:o`<p class="quiet">${t("sessions.none")}</p>`}}<//>`}function Qn({session:e,ended:s}){let[n,a]=y(null),[r,l]=y(!1),i=async()=>{l(!0),a(null);try{await K("DELETE","/auth/sessions/"+e.id),s()}catch($){$.status===404?s():a($),l(!1)}};return o`<div class="row session">
    <span class="name">${Jn(e.device)}${e.staff&&e.staff!==k().staff?.username&&o` · ${e.staff}`}${e.current&&o` <${ce} good badge>${t("sessions.this")}<//>`}</span>
    <span class="quiet">${t("sessions.used",{at:w(e.last_used_at),address:e.address})}</span>
    <span class="quiet">${t("sessions.since",{at:w(e.created_at)})}</span>
    ${!e.current&&o`<button type="button" class="button" disabled=${r} onClick=${i}>${t("sessions.end")}</button>`}
    ${n&&o`<${E} problem=${n} retry=${i} />`}
  </div>`}function Jn(e){let s=[[/Edg(e|A|iOS)?\//,"Edge"],[/OPR\//,"Opera"],[/SamsungBrowser\//,"Samsung Internet"],[/Firefox\/|FxiOS\//,"Firefox"],[/Chrom(e|ium)\/|CriOS\//,"Chrome"],[/Safari\//,"Safari"]].find(([a])=>a.test(e))?.[1],n=[[/Android/,"Android"],[/iPhone|iPad/,"iOS"],[/Windows/,"Windows"],[/Mac OS X/,"macOS"],[/CrOS/,"ChromeOS"],[/Linux/,"Linux"]].find(([a])=>a.test(e))?.[1];return[s,n].filter(Boolean).join(" · ")||e||t("sessions.unknown")}var Yn=100,U={key:"/keys",staff:"/staff"},ge=e=>e.name||e.username,Vn=()=>o`<${Co} kind="key" />`,Xn=()=>o`<${Co} kind="staff" />`,Zn=({id:e})=>o`<${To} kind="key" id=${e} />`,ea=({id:e})=>o`<${To} kind="staff" id=${e} />`;function Co({kind:e}){let{query:s}=D.use();return s.get("do")==="create"?o`<${sa} kind=${e} />`:o`<${Ue} path=${U[e]} title=${t("nav."+U[e].slice(1))} meaning=${t(e+".meaning")} add=${t(e+".new")} most=${Yn}
    full=${t("problem.too-many-principals")} empty=${t(e+".none")} row=${n=>o`<${ta} kind=${e} one=${n} />`} />`}var ta=({kind:e,one:s})=>o`<${j} class="row principal" to=${`${U[e]}/${s.id}`} data-row>
  <span class="name" translate=${!1}>${ge(s)}</span>
  <span>${e==="key"&&o`<${At} one=${s} />`}</span>
  <span>${$t(s)}</span>
  <span class="quiet">${s.expires_at&&o`${t("event.until",{until:w(s.expires_at)})} · `}${Rt(s)} · ${Pt(s)}</span>
<//>`;function sa({kind:e}){let s=C({name:e,method:"POST",path:U[e],title:t(e+".new"),place:U[e]+"?do=create",secret:["password"],fields:{...Lt(e),...e==="staff"&&{password:Bs()}}}),{fields:n,answer:a}=s;return T(s,()=>{ue.set({of:`${e} ${a.id}`,secret:a.key||n.password}),Ce(`${U[e]}/${a.id}`,{replace:!0,state:v(t(e+".created",{name:ge(a)}))})}),o`<${S} title=${t(e+".new")} up=${U[e]}><section class="panel">
    <${R} form=${s} submit=${t("reseller.create")} ready=${It(n)} unclear=${!!de(n.credits).wrong} onSubmit=${()=>s.send(jt(n))} onClose=${()=>h()}>
      <${Mt} form=${s} kind=${e} min=${ct(P())} />
    <//>
  </section><//>`}function To({kind:e,id:s}){let{query:n}=D.use(),a=Q(`${U[e]}/${s}`);return fe(),o`<${S} title=${a.value?ge(a.value):t("nav."+U[e].slice(1))} named=${a.value} up=${U[e]}>
    <${_} of=${a}>${r=>o`<${oa} kind=${e} one=${r} doing=${n.get("do")||""} changed=${a.set} />`}<//>
  <//>`}function oa({kind:e,one:s,doing:n,changed:a}){let r={edit:aa,remove:ia,...e==="staff"?{password:ra,totp:la}:{}},l=Object.hasOwn(r,n)&&r[n];if(l)return o`<${l} key=${n} kind=${e} one=${s} changed=${a} />`;let i=($,c,m="")=>o`<button type="button" class=${"button "+m} onClick=${()=>L($)}>${t(c)}</button>`;return o`
    ${e==="staff"?o`<${Ve} of=${"staff "+s.id} name=${s.username} />`:o`<${He} of=${"key "+s.id} title=${t("key.secret")} meaning=${t("key.secret-once")} copy=${t("key.secret-copy")} /><p class="glance"><${At} one=${s} /></p>`}
    <div class="buttons">
      ${i("edit","line.edit")}
      ${e==="staff"&&o`${i("password","password.new")}${i("totp","reseller.totp")}`}
      ${i("remove",e+".remove","danger-plain")}
    </div>
    <section class="panel">
      <h2>${t("line.record")}</h2>
      <${A} of=${[[t("rights"),s.role?o`<strong>${$t(s)}</strong>. ${Et(s.role)}`:$t(s)],[t("limit"),Rt(s)],[t("key.expires"),e==="key"?s.expires_at?o`<${$s} at=${s.expires_at} />`:t("key.never"):null],[t("key.addresses"),e==="key"?s.allowed_addresses.join(", ")||t("key.anywhere"):null],[t("key.last"),Pt(s)],[t("line.id"),s.id],[t("created"),w(s.created_at)]]} />
    </section>
    ${e==="staff"&&!k().staff&&o`<${na} name=${s.username} />`}`}function na({name:e}){let s=O("/auth/sessions");return o`<section class="panel"><h2>${t("sessions")}</h2><${Wt} of=${s} name=${e} /></section>`}var mt=(e,s)=>`${t(e)}: ${ge(s)}`;function aa({kind:e,one:s,changed:n}){let a=mt("line.edit",s),r=C({name:`edit ${e} ${s.id}`,method:"PATCH",path:`${U[e]}/${s.id}`,title:a,fields:Lt(e,s)}),{fields:l,answer:i}=r;return T(r,()=>{h(v(t("reseller.contact-done",{name:ge(i)}))),n(i)}),o`<section class="panel"><h2>${a}</h2>
    <${R} form=${r} submit=${t("save")} ready=${It(l)} unclear=${!!de(l.credits).wrong} onSubmit=${()=>r.send(jt(l,s))} onClose=${()=>h()}>
      <${Mt} form=${r} kind=${e} />
    <//>
  </section>`}function ra({one:e}){let s=mt("password.new",e),n=C({name:"password of staff "+e.id,method:"PATCH",path:"/staff/"+e.id,title:s,secret:["password"],fields:{password:""}});return T(n,()=>h(v(t("staff.password-done",{name:e.username})))),o`<section class="panel"><h2>${s}</h2>
    <${R} form=${n} submit=${t("save")} onSubmit=${()=>n.send(n.fields)} onClose=${()=>h()}>
      <p>${t("staff.password-meaning")}</p>
      <${F} form=${n} name="password" label=${t("password.new")} hint=${t("reseller.password-hint")} minlength="6" maxlength="128" required />
    <//>
  </section>`}var la=({one:e})=>o`<${ee} name=${"totp of staff "+e.id} method="DELETE" path=${`/staff/${e.id}/totp`} title=${mt("reseller.totp",e)}
  meaning=${t("reseller.totp-meaning")} submit=${t("reseller.totp")} danger then=${()=>h(v(t("reseller.totp-done",{name:e.username})))} />`,ia=({kind:e,one:s})=>o`<${ee} name=${`remove ${e} ${s.id}`} method="DELETE" path=${`${U[e]}/${s.id}`} title=${mt(e+".remove",s)}
  meaning=${t(e+".remove-meaning")} submit=${t(e+".remove")} danger then=${()=>le(U[e],v(t(e+".removed",{name:ge(s)})))} />`;var qo=["whatsapp","telegram"];function $a(){let e=O(`/users/${k().id}/messages`),[s,n]=y(0),a=r=>{e.set(r),Is(r),n(s+1),V(v(t("messages.saved")))};return o`<${S} title=${t("nav.messages")}>
    <p>${t(k().is_admin?"messages.meaning-top":"messages.meaning")}</p>
    <${_} of=${e}>${r=>x("users:write")?o`<${ma} key=${s} messages=${r} saved=${a} />`:o`<${ca} messages=${r} />`}<//>
  <//>`}var Fo=e=>{let s={access:30,reminder:3,expired:-1,welcome:30}[e]||30;return{username:"maria.tv",password:"7Kd92x",expDate:new Date(P()+s*864e5).toISOString()}},Do=({text:e})=>o`<p class="bubble text" translate=${!1} data-message>${e}</p>`,ca=({messages:e})=>o`
  <section class="panel"><h2>${t("messages.where")}</h2>
    <${A} of=${["server","apps"].map(s=>[t("messages."+s),o`<span class="text">${Je(s,e)||t("messages.none")}</span>`])} />
  </section>
  <div class="panels">${ne.map(s=>o`<section class="panel" key=${s}><h2>${t("messages."+s)}</h2>
    <${Do} text=${xt(Je(s,e),Fo(s),e)} /></section>`)}</div>`;function ma({messages:e,saved:s}){let n=["server","apps",...ne,...qo],a=Object.fromEntries(n.map(c=>[c,qo.includes(c)?"":e.inherited[c]||(ne.includes(c)?t("message.default."+c):"")])),r=C({name:"messages",method:"PUT",path:`/users/${k().id}/messages`,title:t("nav.messages"),fields:Object.fromEntries(n.map(c=>[c,e[c]||a[c]]))}),{fields:l}=r;T(r,()=>s(r.answer));let i=Object.fromEntries(n.map(c=>{let m=(c==="server"?l[c].replace(/\s+/g," "):l[c]).trim();return[c,m===a[c].trim()?null:m||null]})),$={...i,inherited:e.inherited};return o`<${R} form=${r} submit=${t("save")} onSubmit=${()=>r.send(i)}>
    <section class="panel"><h2>${t("messages.where")}</h2>
      <${Bt} form=${r} name="server" above=${a.server} hint=${t("messages.server.hint")} kind="textarea" rows="1" inputmode="url" maxlength="254" />
      <${Bt} form=${r} name="apps" above=${a.apps} hint=${t("messages.apps.hint")} kind="textarea" rows="3" maxlength="1000" />
    </section>
    ${ne.map(c=>o`<section class="panel template" key=${c}>
      <div>
        <${Bt} form=${r} name=${c} above=${a[c]}
          standard=${!e.inherited[c]} kind="textarea" rows="8" maxlength="2000" autocapitalize="sentences" />
        <div class="inserts" role="group" aria-label=${t("messages.insert")}>${Ls.map(m=>o`<button type="button" class="button" key=${m} disabled=${r.frozen}
          onClick=${p=>da(r,c,`{${m}}`,p.currentTarget)}><${g} name="plus" />${t("messages.put."+m)}</button>`)}</div>
      </div>
      <div><p class="quiet">${t("messages.preview")}</p><${Do} text=${xt(Je(c,$),Fo(c),$)} /></div>
    </section>`)}
    ${B.haveBelow()&&o`<section class="panel"><h2>${t("messages.reach")}</h2><p>${t("messages.reach.meaning")}</p>
      <${F} form=${r} name="whatsapp" label=${t("whatsapp")} hint=${t("whatsapp.hint")} type="tel" inputmode="tel" maxlength="64" />
      <${F} form=${r} name="telegram" label=${t("telegram")} hint=${t("messages.telegram.hint")} maxlength="64" />
    </section>`}
  <//>`}var Bt=({form:e,name:s,above:n,standard:a=!1,...r})=>o`
  <${F} form=${e} name=${s} label=${t("messages."+s)} placeholder=${n} ...${r} />
  ${!!n&&(e.fields[s].trim()!==n.trim()?o`<button type="button" class="button link" disabled=${e.frozen} onClick=${()=>e.set({[s]:n})}><${g} name="rotate-cw" />${t(a?"messages.use-standard":"messages.use-above")}</button>`:o`<p class="from"><span class="badge">${t(a?"messages.is-standard":"messages.is-above")}</span></p>`)}`;function da(e,s,n,a){let r=a.closest(".template")?.querySelector("textarea"),{value:l,selectionStart:i,selectionEnd:$}=r;e.set({[s]:l.slice(0,i)+n+l.slice($)}),setTimeout(()=>{r.focus(),r.setSelectionRange(i+n.length,i+n.length)})}function pa(){let e=O("/prices");return o`<${S} title=${t("nav.prices")}>
    <${_} of=${e}>${({prices:s})=>o`<section class="panel">
      <${A} of=${s.map(n=>[Ts(n.period),o`<${oe} of=${n.credits} />`])} /></section>`}<//>
  <//>`}var ua=5,fa=200,Ro=({username:e,whatsapp:s,notes:n,telegram:a,email:r,external_id:l},i)=>[e,s,n,a,r,l].find($=>rt($,i));function Eo(e,s,n){let a=O(e&&n?e:null,{q:n,limit:ua},($,c,m)=>K("GET",$,{query:c,signal:m}).then(p=>({...p,of:n}))),r=a.value,l=Y([]);r&&(l.current=r.data);let i=r?.of===s;return{rows:s?i?l.current:l.current.filter($=>Ro($,s)):[],more:i&&r?.next_cursor!==null,settled:!e||!s||i||n===s&&!!a.problem,problem:s&&a.problem,reload:a.reload}}function ba({places:e,close:s}){let{path:n,query:a}=D.use(),r=Oe(),l=Y(null),i=Y(!1),[$,c]=y(n==="/lines"&&a.get("q")||""),[m,p]=y(""),[u,f]=y(""),b=te($);W(()=>{let d=setTimeout(()=>p(b),fa);return()=>clearTimeout(d)},[b]);let H=Js("trial that was searched for",s),q=Eo(x("lines:read")?"/lines":"",b,m),M=Eo(B.seeResellers()?"/users":"",b,m),N=q.settled&&M.settled,Nt=d=>({name:d.username,record:!0,hit:rt(d.username,b)?d.whatsapp:Ro(d,b)||d.whatsapp}),Se=q.rows.length,Ut=M.rows.filter(({id:d})=>d!==k().id),Ht=({name:d})=>!b||!!rt(d,b),zt=d=>d.map(([z,re,Io])=>({key:z,to:z,icon:re,name:Io})).filter(Ht),Kt=[[t("nav.lines"),q.rows.map(d=>({key:"line "+d.id,icon:"tv",to:"/lines/"+d.id,end:qe(d.expDate),...Nt(d)}))],[t("nav.resellers"),Ut.map(d=>({key:"user "+d.id,icon:"users",to:"/resellers/"+d.id,end:d.is_admin?"":t("balance-after",{amount:G(d.credits)}),...Nt(d)}))],[t("actions"),[...x("lines:write")?[{key:"trial",icon:"plus",name:t("trial.new"),act:()=>H.send({})}].filter(Ht):[],...zt([...B.createResellers()?[["/resellers?do=create","plus",t("reseller.new")]]:[],...x("manage")?[["/staff?do=create","plus",t("staff.new")],["/keys?do=create","plus",t("key.new")]]:[]]),...Se||q.more?[{key:"list",icon:"list-filter",to:"/lines?"+new URLSearchParams({q:b}),name:q.more?t("search.list"):t("search.list-n",{n:Se,count:I(Se)})}]:[]]],[t("search.places"),zt(e)]].filter(([,d])=>d.length),J=Kt.flatMap(([,d])=>d),ae=J.find(({key:d})=>d===u)||(b?J[0]:void 0),pt=d=>d&&r+d.key.replace(/\W/g,"-"),ut=()=>document.getElementById(pt(ae)||"");Qt(()=>{let d=l.current,z=d.querySelector("input");return d.showModal(),z?.focus(),z?.select(),()=>d.close()},[]),W(()=>ut()?.scrollIntoView({block:"nearest"}),[ae?.key]),W(()=>{!N||!i.current||(i.current=!1,ut()?.click())},[N]);let jo=d=>{let z={ArrowDown:1,ArrowUp:-1}[d.key];if(z&&J.length)f(J.at((ae?J.indexOf(ae)+z:z>0?0:-1)%J.length)?.key||"");else if(d.key==="Enter")N?ut()?.click():i.current=!0;else return;d.preventDefault()},ft=Se+Ut.length,bt=q.problem||M.problem,Gt=!b||!N||bt?"":!ft&&(q.more||M.more)?t("list.paused"):t("search.results",{n:ft,count:I(ft)+(q.more||M.more?"+":"")});return o`<dialog class="palette" ref=${l} aria-label=${t("search")} onClose=${s} onKeyDown=${d=>d.stopPropagation()}
    onPointerDown=${d=>{ps(d)&&s()}}>
    <div class="palette-head"><${g} name="search" />
      <input type="text" role="combobox" aria-expanded=${J.length>0} aria-controls=${r} aria-activedescendant=${pt(ae)} aria-autocomplete="list" aria-label=${t("search")} value=${$}
        enterkeyhint="go" autocapitalize="none" autocomplete="off" spellcheck=${!1} maxlength="64" onKeyDown=${jo}
        onInput=${d=>{c(d.target.value),f(""),i.current=!1}} />
      <kbd class="key desk" aria-hidden="true">Esc</kbd><button type="button" class="button ghost only thumb" aria-label=${t("close")} onClick=${s}><${g} name="x" /></button></div>
    ${J.length>0&&o`<ul class="menu" role="listbox" id=${r} aria-label=${t("search")} aria-busy=${!N} onClick=${d=>{d.defaultPrevented&&d.target.closest("a")&&s()}}>
      ${Kt.map(([d,z])=>o`<li key=${d} role="group" aria-label=${d}><span class="menu-head" aria-hidden="true">${d}</span>
        ${z.map(re=>o`<${ha} key=${re.key} of=${re} id=${pt(re)} on=${re===ae} by=${b} off=${H.frozen} />`)}</li>`)}</ul>`}
    ${bt&&o`<${E} problem=${bt} retry=${()=>{q.reload(),M.reload()}} />`}
    <${Ys} form=${H} />
    ${!!Gt&&!J.length&&o`<p class="quiet none">${t("search.none")}</p>`}
    <footer><span class="desk"><kbd class="key">↑</kbd> <kbd class="key">↓</kbd> ${t("search.choose")}</span><span class="desk"><kbd class="key">Enter</kbd> ${t("search.open")}</span><span class="count" role="status">${Gt}</span></footer>
  </dialog>`}function ha({of:{icon:e,name:s,to:n,act:a,record:r,hit:l,end:i},id:$,on:c,by:m,off:p}){let u={id:$,role:"option",tabindex:-1,"aria-selected":c,class:c?"is-hover":""},f=o`<${g} name=${e} /><span class="clip" translate=${!r}><${Ct} text=${s} by=${m} />${l&&o` <span class="quiet"><${Ct} text=${l} by=${m} /></span>`}</span>
    ${i&&o`<span class="at desk">${i}</span>`}`;return n?o`<${j} to=${n} ...${u}>${f}<//>`:o`<button type="button" disabled=${p} onClick=${a} ...${u}>${f}</button>`}var dt=500,Ao=()=>`resellerd${_e} reminded ${Zt(k())}`,Lo=()=>new Date(P()).toDateString();function Po(){let e=JSON.parse(Yt(Ao())||"{}");return e.day===Lo()?e.ids:[]}function ga({ids:e,query:s={},onClose:n}){let a=ls(e?null:"/lines",{...s,limit:dt},dt),[r]=y(Po),[l,i]=y([]),$=e||(a.value?.data||[]).slice(0,dt).map(({id:N})=>N),c=$.filter(N=>!r.includes(N)),m=(c.length?c:$).filter(N=>!l.includes(N)),[p]=m,u=$.length-m.length,f=$.length,b=O(p?`/lines/${p}`:null),H=!Qe().reading&&b.value?.id===p?b.value:null,q=()=>{if(Jt(Ao(),JSON.stringify({day:Lo(),ids:[...Po(),p].slice(-4*dt)})),m.length>1)return i([...l,p]);n(),V(v(t("queue.done")))},M=e||a.value?b.problem:a.problem;return o`<${Z} title=${f?t("queue.title",{n:f,count:I(f)}):t("queue")} about=${f?t("queue.at",{at:I(u+1),all:I(f)}):""} onClose=${n}>
    <svg class="left" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect class="all" width="100" height="4" /><rect class="run" width=${f?100*u/f:0} height="4" /></svg>
    ${M?o`<${E} problem=${M} retry=${e||a.value?b.reload:a.reload} />${p&&o`<button type="button" class="button link" onClick=${q}>${t("queue.skip")}</button>`}`:H?o`<${ya} key=${p} line=${H} last=${m.length===1} next=${q} />`:a.value&&!f?o`<p>${t("lines.none-such")}</p>`:o`<${Re} />`}
  <//>`}function ya({line:e,last:s,next:n}){let a=Oe(),[r,l]=y(null),i=Y(null),$=pe(e.whatsapp,e.country),c=r??Ye(Vs(e),e);W(()=>i.current?.focus({preventScroll:!0}),[]);let m=p=>p.detail>1?p.preventDefault():setTimeout(n);return o`<div class="turn">
    <div><h3 id=${a} class="name" translate=${!1}>${e.username}</h3>
      <p class="quiet small">${qe(e.expDate)} · ${$?Ie($):o`<span class="soon">${e.whatsapp?t("queue.unsure",{number:e.whatsapp}):t("queue.no-number")}</span>`}</p></div>
    ${r===null?o`<p class="bubble text" translate=${!1} data-message>${c}</p>`:o`<textarea class="input" rows="8" maxlength="2000" aria-label=${t("queue.edit")} value=${r} onInput=${p=>l(p.target.value)}></textarea>`}
    <a class="button primary tall wide" ref=${i} href=${Me($,c)} target="_blank" rel="noopener noreferrer" aria-describedby=${a} data-next onClick=${m}><${g} name="message-circle" />${t(s?"queue.last":"queue.next")}</a>
    <div class="rowed"><button type="button" class="button link" data-skip onClick=${n}>${t("queue.skip")}</button>
      ${r===null&&o`<button type="button" class="button link" onClick=${()=>l(c)}>${t("queue.edit")}</button>`}</div>
  </div>`}export{Sn as Activity,wn as Job,yn as Jobs,Vn as Keys,Wo as Line,ea as Member,$a as Messages,Zn as OneKey,An as OneWebhook,ba as Palette,pa as Prices,Mo as Proof,ga as Queue,nn as Reseller,zn as Sessions,Xn as Staff,gn as Statement,_n as Webhooks};
//# sourceMappingURL=rare.js.map
