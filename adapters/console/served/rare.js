import{$ as Pe,$a as he,$b as Ns,A as H,Aa as gs,Ab as Rs,Ac as Js,B as pe,Ba as X,Bb as He,Bc as Vs,C as is,Ca as F,Cb as ge,Cc as Ys,D as I,Da as Me,Db as Ps,Dc as st,Ea as O,Eb as Tt,Ec as Xs,Fa as re,Fb as As,Fc as Zs,Ga as ws,Gc as Rt,H as t,Ha as R,Hb as Is,Hc as Pt,I as de,Ia as se,Ib as Ke,Ja as ys,Jb as Ge,K as v,Ka as le,Kb as Qe,Kc as en,L as $s,Lb as we,Lc as tn,Mb as Je,Mc as nt,Na as ks,Nb as ye,Nc as ot,Ob as oe,Oc as at,Pa as Ne,Pb as Ve,Pc as rt,Qa as W,Qb as qt,Qc as Oe,Rb as Ye,Rc as lt,Sb as Xe,Sc as it,T as x,Ta as We,Tb as Ft,Tc as $t,U,Ub as Ls,Uc as ct,V as te,Va as fe,Vc as sn,W as Se,Wb as _e,X as T,Xb as js,Y as Re,Yc as nn,Z as cs,Zc as on,_ as ms,_b as Ms,_c as Vn,aa as St,ab as S,ac as Ws,ad as mt,ba as ps,bb as C,bc as Bs,bd as At,c as y,ca as ds,cc as zs,cd as an,d as z,da as us,dd as rn,e as ns,ea as Ae,eb as ne,ec as Us,f as ee,fa as Ie,fb as vs,fc as Hs,fd as ln,ga as L,gb as k,gc as ie,h as Fe,ha as fs,hc as Ks,i as n,ia as B,ib as xs,ic as Gs,ja as hs,jb as J,jc as Qs,jd as $n,k as os,ka as Le,kb as Ss,kc as Ze,l as as,la as K,lb as Be,lc as et,m as P,ma as _t,mb as _s,mc as Dt,n as De,na as Ot,nb as Os,nc as tt,o as xt,oa as je,ob as be,od as cn,p as V,pb as ze,q as rs,qb as Ue,qc as Et,qd as mn,r as ls,s as A,sa as h,sb as Cs,t as Ee,ta as q,u as me,ua as Y,ub as Ts,v as j,va as bs,vb as qs,w as b,wa as ue,wb as Fs,xa as D,xb as Ds,ya as _,yb as Es,zb as Ct}from"./chunk.js";function pn({text:e,onClose:s}){let[o,a]=y({side:1,path:""}),r=()=>{import("./qr.js").then(({drawing:i})=>a(i(e)),()=>a(new xt("no-answer")))};return z(r,[]),n`<${J} look="dialog" title=${t("line.qr")} onClose=${s}>
    ${o instanceof xt?n`<${D} problem=${o} retry=${r} />`:o?n`<svg class="qr" viewBox="0 0 ${o.side} ${o.side}" role="img" aria-label=${t("line.qr")}><path d=${o.path} /></svg><p class="quiet">${t("line.qr-meaning")}</p>`:n`<p>${t("line.qr-long")}</p>`}
  <//>`}function Yn({id:e}){let{query:s}=A.use(),o=X(`/lines/${e}`,!0),a=o.value,{reading:r}=Ze(),{prices:i,problem:l}=Ft(a?.owner),$=!r&&(i||l||!x("lines:spend")),c=ee(()=>{});return n`<${q} title=${a?.username||t("line.title")} named=${a} up="/lines" below=${a&&n`<${Xn} line=${a} />`}
    actions=${a&&$&&n`<${Zn} line=${a} stop=${()=>c.current()} />`}>
    <${F} of=${a&&!$?{loading:!0}:o}>${m=>n`<${co} key=${m.updatedAt} line=${m} changed=${o.set} act=${c} />
      <${to} line=${m} doing=${s.get("do")||""} changed=${o.set} />`}<//>
  <//>`}function Xn({line:e}){let{expDate:s}=e,o=!ds(s);return n`<p class="glance"><${ks} line=${e} badge /> <span>${t(Date.parse(s)>P()?"line.ends":"line.ended")}${" "}
    <time datetime=${s} title=${T(s)}><b>${o?us(s):`${ms(s)}, ${ps(s)}`}</b>${!o&&n` <span class="quiet">${Ie(s)}</span>`}</time></span></p>`}function Zn({line:e,stop:s}){let{username:o,suspended:a}=e,r=x("lines:write"),i=t("line.edit");return n`${x("lines:spend")&&n`<${eo} line=${e} />`}
    ${r&&n`<button type="button" class="button" aria-label=${i} onClick=${()=>j("edit")}><${h} name="pencil" /><span class="wide-only">${i}</span></button>`}
    ${(r||x("lines:delete"))&&n`<${We} label=${t("more-about",{name:o})} look="button only">
      ${r&&n`<button type="button" onClick=${s}><${h} name=${a?"play":"circle-pause"} />${t(a?"line.resume":"line.suspend")}</button>`}
      ${x("lines:delete")&&n`<hr /><button type="button" class="bad" onClick=${()=>j("delete")}><${h} name="trash-2" />${t("line.delete")}…</button>`}<//>`}`}function eo({line:e}){let{likely:s}=Ms(e),o=e.isTrial?"activate":"extend";return n`<button type="button" class="button primary" aria-haspopup="dialog" data-pay translate=${!s} onClick=${()=>j(o)}>
    ${s?t(e.isTrial?"line.activate-for":"line.renew-for",{cost:Le(s.credits)}):t("line."+o)}</button>`}function to({line:e,doing:s,changed:o}){let a=Ns(e),r=!e.isTrial,i=x("lines:spend"),l=x("lines:write"),$={activate:!r&&i&&dn,extend:r&&i&&dn,edit:l&&$o,suspend:l&&mo,resume:l&&po,delete:x("lines:delete")&&uo},c=Object.hasOwn($,s)&&$[s];return n`
    ${/suspended|blocked/.test(e.effective||"")&&n`<${Y}><p>${t(`line.${e.effective}-means`)}</p><${un} line=${e} />
      ${l&&e.suspended&&n`<button type="button" class="button" onClick=${()=>j("suspend")}><${h} name="pencil" />${t("reason")}</button>`}<//>`}
    <div class="cols person">
      <${no} line=${e} />
      <div class="stack"><${oo} line=${e} payer=${a} /></div>
      <${so} line=${e} />
    </div>
    ${c&&n`<${c} key=${s} line=${e} payer=${a} changed=${o} />`}`}function so({line:{id:e,updatedAt:s}}){let o=Ye({line:e}),a=ee(s);return z(()=>{a.current!==s&&o.reload(),a.current=s},[s]),n`<${Xe} of=${{line:e}} latest=${o} />`}function no({line:e}){let[s,o]=y(""),[a,r]=y(!1),i=s||Gs(e,P()),l=tt(i,e),$=be(e.whatsapp,e.country),c=Us(e.telegram),m=c?t("line.telegram-to",{name:"@"+c}):t("line.telegram"),d={target:"_blank",rel:"noopener noreferrer"};return n`<section class="panel sending">
    <h2>${t("line.access")}</h2>
    <fieldset class="choice few short"><legend class="hush">${t("line.message")}</legend>
      ${ie.map(p=>n`<label key=${p}><input type="radio" name="message" value=${p} checked=${p===i} onChange=${()=>o(p)} /><span>${t("messages."+p)}</span></label>`)}
    </fieldset>
    <p class="bubble text" translate=${!1} data-message=${i}>${l}</p>
    <div class="buttons">
      <a class="button send" href=${Ue($,l)} ...${d}><${h} name="message-circle" />${$?n`<span><span class="wide-only">${t("line.send-by")} </span>WhatsApp ${ze($)}</span>`:t("line.whatsapp")}</a>
      <${Ne} text=${l} label=${t("line.copy")} look="button only" />
      <a class="button only" href=${Hs(c,l)} ...${d} aria-label=${m} title=${m}><${h} name="send" /></a>
      <button type="button" class="button only" aria-label=${t("line.qr")} title=${t("line.qr")} aria-haspopup="dialog" onClick=${()=>r(!0)}><${h} name="qr-code" /></button>
    </div>
    ${e.whatsapp&&!$&&n`<p class="quiet">${t("line.whatsapp-unsure",{number:e.whatsapp})}</p>`}
    ${a&&n`<${pn} text=${l} onClose=${()=>r(!1)} />`}
  </section>`}function oo({line:e,payer:s}){let o=e.owner===v().id?null:s?.username||t("reseller.by-id",{id:e.owner});return n`<section class="panel">
      <h2>${t("line.title")}</h2>
      <${W} of=${[[t("username"),n`<span class="copied"><code translate=${!1} data-username>${e.username}</code><${Ne} text=${e.username} label=${t("line.copy-name")} /></span>`],[t("password"),n`<${ro} of=${e.password} />`],[t("whatsapp"),e.whatsapp],[t("telegram"),e.telegram],[t("email"),e.email],[t("country"),je(e.country)],[t("plan"),e.plan&&n`<${ao} line=${e} />`],[t("line.since"),Re(e.createdAt)],[t("line.owner"),o&&(U.seeResellers()?n`<${I} to=${"/resellers/"+e.owner}>${o}<//>`:o)],[t("notes"),e.notes&&n`<span class="text">${e.notes}</span>`],[t("line.external-id"),e.external_id]]} />
      <details><summary>${t("line.more")}</summary>
        <${W} of=${[[t("line.platform"),e.idPlatform],[t("line.id"),e.id],[t("changed"),T(e.updatedAt)]]} /></details>
    </section>
    ${e.metadata&&n`<section class="panel members">
      <h2>${t("line.metadata")}</h2>
      <${W} of=${Object.entries(e.metadata).map(([a,r])=>[n`<span class="name" translate=${!1}>${a.split(/(?<=_)/).map(i=>n`${i}<wbr />`)}</span>`,n`<span class="text" translate=${!1}>${r||"—"}</span>`])} />
    </section>`}`}function ao({line:{owner:e,plan:s,connections:o}}){let a=Ft(e).prices?.find(r=>r.plan===s);return n`<span>${[a?_e(a):"#"+s,js(o)].filter(Boolean).join(", ")}</span>`}function ro({of:e}){let[s,o]=y(!1),a=t("password.show");return e===null?n`<span class="quiet">${t("line.password-hidden")}</span>`:n`<span class="copied"><code translate=${!1} data-password>${s?e:"••••••"}</code>
    <button type="button" class="button ghost only" aria-label=${a} title=${a} aria-pressed=${s} onClick=${()=>o(!s)}><${h} name="eye" /></button>
    <${Ne} text=${e} label=${t("line.copy-password")} /></span>`}function dn({line:e,payer:s,changed:o}){let a=()=>b();return n`<${zs} line=${e} onClose=${a}>
    <${e.isTrial?Bs:Ws} line=${e} payer=${s} onClose=${a} then=${(r,i)=>{o(r),b(k(t(e.isTrial?"line.activated":"line.extended",{name:r.username,until:T(r.expDate)}),{payer:e.owner,key:i}))}} />
  <//>`}var lo=e=>Object.entries(e||{}).map(([s,o])=>`${s}: ${o.replaceAll(`
`,`
  `)}`).join(`
`);function io(e){let s=new Map,o="",a="";for(let r of e.split(`
`))if(s.size&&r.startsWith("  "))s.set(o,s.get(o)+`
`+r.slice(2));else if(r.trim()){let[,i="",l=""]=r.match(/^ *([a-z0-9_]{1,40}) *:(.*)/s)||[];(!i||s.has(i))&&(a||=t("line.metadata.row",{row:r})),s.set(o=i,l)}return{metadata:s.size?Object.fromEntries(s):null,wrong:a}}function $o({line:e,changed:s}){let[o]=y(e),a=t("line.edit-title",{name:e.username}),r={username:o.username,password:o.password||"",country:o.country,whatsapp:o.whatsapp||"",telegram:o.telegram||"",email:o.email||"",notes:o.notes||"",external_id:o.external_id||"",metadata:lo(o.metadata||null)},i=S({name:"edit "+e.id,method:"PATCH",path:`/lines/${e.id}/details`,title:a,fields:r}),{answer:l,fields:$}=i,{metadata:c,wrong:m}=io($.metadata),[d,p]=y(i.restored);C(i,()=>{s(l),b(k(t("line.edited",{name:l.username})))});let f=()=>{let w=g=>({...Ge(g),username:te(g.username),password:g.password,external_id:g.external_id.trim()||null}),M=w(r),E=Object.fromEntries(Object.entries(w($)).filter(([g,N])=>N!==M[g]));if($.metadata!==r.metadata&&(E.metadata=c),Object.keys(E).length)return i.send(E);i.cancel(),b()};return n`<${J} title=${a} onClose=${()=>b()}>
    <${R} form=${i} submit=${t("save")} unclear=${!!m} onClose=${()=>b()} onSubmit=${f}>
      ${!o.isTrial&&n`<fieldset class="group"><legend>${t("messages.access")}</legend><${Is} form=${i} required=${o.password!==null} /></fieldset>`}
      <fieldset class="group"><legend>${t("line.contact")}</legend><${Ke} form=${i} /></fieldset>
      <${ws} title=${t("line.more")} form=${i} names=${["external_id","metadata"]} open=${!!m}>
        <${O} form=${i} name="external_id" label=${t("line.external-id")} hint=${t("line.external-id.hint")} maxlength="64" />
        <${O} form=${i} name="metadata" label=${t("line.metadata")} hint=${t("line.metadata.hint")} wrong=${d&&m} kind="textarea"
          rows=${Math.min($.metadata.split(`
`).length+3,21)} onBlur=${()=>p(!0)} />
      <//>
    <//>
  <//>`}var un=({line:{suspension_reason:e}})=>e&&n`<${W} of=${[[t("reason"),n`<span class="text">${e}</span>`]]} />`,pt=({id:e,username:s},o,a="")=>({name:`${o}${a} ${e}`,method:o==="suspend"?"PUT":"DELETE",path:`/lines/${e}/suspension`,title:t(`line.${o}-title`,{name:s})});function fn(e,s){let o=e.username,a=s==="suspend"?"resume":"suspend";return e.suspended&&s==="suspend"?k(t("line.edited",{name:o})):k(t(`line.${s}-done`,{name:o}),{undo:{...pt(e,a," again"),body:a==="suspend"?{reason:e.suspension_reason||""}:void 0,said:t(`line.${a}-done`,{name:o})}})}function co({line:e,changed:s,act:o}){let a=e.suspended?"resume":"suspend",r=S({...pt(e,a," now"),fields:{}});return o.current=()=>r.send(a==="suspend"?{}:void 0),C(r,()=>{H(fn(e,a)),s(r.answer)}),r.state==="unknown"?n`<${se} form=${r} />`:r.state==="refused"&&r.problem&&n`<${D} problem=${r.problem} />`}function mo({line:e,changed:s}){let o=S({...pt(e,"suspend"),fields:{reason:e.suspension_reason||""}});return n`<${hn} form=${o} line=${e} changed=${s} does="suspend"><p>${t("line.suspended-means")}</p><${Ve} form=${o} name=${e.username} /><//>`}function po({line:e,changed:s}){let o=S({...pt(e,"resume"),fields:{}});return n`<${hn} form=${o} line=${e} changed=${s} does="resume"><p>${t("line.resume-meaning")}</p><${un} line=${e} /><//>`}function hn({form:e,line:s,changed:o,does:a,children:r}){let[i]=y(s);return C(e,()=>{o(e.answer),b(fn(i,a))}),n`<${J} title=${t(`line.${a}-title`,{name:s.username})} onClose=${()=>b()}>
    <${R} form=${e} danger=${a==="suspend"} submit=${t("line."+a)} onSubmit=${()=>e.send(a==="suspend"?e.fields:void 0)} onClose=${()=>b()}>${r}<//>
  <//>`}function uo({line:e}){let s=t("line.delete-title",{name:e.username}),o=S({name:"delete "+e.id,method:"DELETE",path:"/lines/"+e.id,title:s,fields:{typed:""},secret:["typed"]});return C(o,()=>me("/lines",k(t("line.deleted",{name:e.username})))),n`<${J} look="dialog" title=${s} onClose=${()=>b()}>
    <${R} form=${o} danger submit=${t("line.delete")} ready=${te(o.fields.typed)===e.username} onSubmit=${()=>o.send()} onClose=${()=>b()}>
      <p>${t("line.delete-meaning")}</p>
      <${O} form=${o} name="typed" label=${t("line.delete-type",{name:e.username})} autofocus required />
    <//>
  <//>`}var It=["month","last","dates"],Te=e=>[e.getFullYear(),e.getMonth()+1,e.getDate()].map(s=>String(s).padStart(2,"0")).join("-"),Ce=(e,s)=>new Date(e.getFullYear(),e.getMonth(),e.getDate()+s);function bn(e){let[,s,o,a]=/^(\d{4})-(\d\d)-(\d\d)$/.exec(e||"")||[];return s?new Date(Number(s),Number(o)-1,Number(a)):void 0}function gn(e,s){let o=It.find($=>$===e.get("period"))||"month",a=Ce(new Date(s),0),r=$=>new Date(a.getFullYear(),a.getMonth()+$,1);if(o==="last")return{which:o,from:r(-1),to:r(0),last:Ce(r(0),-1)};if(o==="month")return{which:o,from:r(0),to:r(1),last:a};let[i,l]=[bn(e.get("from"))||r(0),bn(e.get("to"))||a].sort(($,c)=>$.getTime()-c.getTime());return{which:o,from:i,to:Ce(l,1),last:l}}function wn(e){let s=0n,o=0n;for(let{amount:a}of e)a.startsWith("-")?o-=K(a):s+=K(a);return{came:_t(s),went:_t(o)}}function yn(e,s,{from:o,last:a}){let r=[],i=s,l=e.length-1;for(let $=o;$<=a;$=Ce($,1)){for(let c=Ce($,1);l>=0&&new Date(e[l].at)<c;l--)i=e[l].balance;r.push({day:$,balance:i})}return r}async function fo(e,s,o){let a=[];for(let r="";;){let{data:i,next_cursor:l,opening:$,closing:c}=await V("GET",e,{query:{...s,limit:500,cursor:r},signal:o});if(a.push(...i),l===null)return{entries:a,opening:$,closing:c};r=l}}function Lt(e){let{query:s}=A.use(),o=gn(s,P()),a={from:o.from.toISOString(),to:o.to.toISOString()},r=`/users/${e.id}/ledger`,i=_(r,a,fo),l=i.value,$=cs(o.from,o.last),c=!e.is_admin&&n`<${ho} of=${l} />`,m=p=>pe({period:p==="month"?"":p,from:"",to:"",...p==="dates"&&{from:Te(o.from),to:Te(o.last)}}),d=(p,f)=>n`<label class="field">${t("statement."+p)}<input class="input" type="date" name=${p} required
    value=${Te(f)} max=${Te(new Date(P()))} onChange=${w=>{w.target.value&&pe({[p]:w.target.value})}} /></label>`;return{actions:n`<button type="button" class="button ghost print" disabled=${!l} onClick=${()=>print()}><${h} name="printer" /><span>${t("print")}</span></button>
      <${cn} of="ledger" query=${{account:e.id,...a}} label=${t("statement.csv")} look="button" />`,shown:n`<div class="statement">
      <${tn} title=${t("print.statement",{name:e.username})} more=${()=>n`<p>${$}</p>
        ${l?n`${c}<table class="table ledger"><thead>${Rt()}</thead><tbody>${l.entries.map(Pt)}</tbody></table>`:t("list.loading")}`} />
      <div class="period">
        <div class="seg" role="group" aria-label=${t("statement.period")}>
          ${It.map(p=>n`<button key=${p} type="button" aria-pressed=${p===o.which} onClick=${()=>m(p)}>${t("statement."+p)}</button>`)}
        </div>
        <p class="quiet" role="status">${$}</p>
        ${o.which==="dates"&&n`<div class="dates">${d("from",o.from)}${d("to",o.last)}</div>`}
      </div>
      ${i.problem&&n`<${D} problem=${i.problem} retry=${i.reload} />`}
      ${c&&n`${c}<${en} days=${l&&yn(l.entries,l.opening,o)} />`}
      <${fe} path=${r} query=${a} row=${Pt} head=${Rt()} look="dense ledger"
        count=${p=>t("statement.count",{n:p,count:L(p)})} label=${t("nav.statement")} empty=${t("statement.none")} />
    </div>`}}function kn({account:e}){let{actions:s,shown:o}=Lt(e);return n`<div class="head"><h2>${t("nav.statement")}</h2><div class="actions">${s}</div></div>${o}`}function ho({of:e}){let{came:s,went:o}=wn(e?e.entries:[]),a=i=>K(i)?hs(i):"0",r=[[t("statement.opening"),e&&B(e.opening)],[t("statement.in"),a(s)],[t("statement.out"),a("-"+o)],[t("statement.closing"),e&&B(e.closing)]];return n`<dl class="sums panel" aria-busy=${!e}>${r.map(([i,l])=>n`<div key=${i}><dt>${i}</dt><dd>${e?l:"…"}</dd></div>`)}</dl>`}function ke(e){let s=e.id===v().id;return{mine:s,write:x("users:write"),moves:U.manage(e,"credits:move"),blocks:U.manage(e,"users:write"),resets:U.manage(e,"manage"),held:x("users:read")&&(s?!e.is_admin:U.manage(e,""))}}function bo({id:e}){let{query:s}=A.use(),o=X(`/users/${e}`),a=o.value,[r,i]=y(0),l=Js(a&&ke(a).held?a.id:null),$=s.get("do")||"",c=a&&go(a,$),m=a&&ke(a).moves&&/^(topup|reclaim)$/.test($),d=p=>{if(i(r+1),m)return b(p);H(p),o.reload()};return ye(),n`<${q} title=${a?.username||t("reseller.title")} named=${a} up="/resellers" actions=${a&&!c&&n`<${wo} reseller=${a} />`}>
    <${F} of=${o}>${()=>c?n`<${c} reseller=${a} alerts=${l} />`:n`<${yo} reseller=${a} alerts=${l} turn=${r} />`}<//>
    ${m?n`<${Os} key=${$} reseller=${a} name=${$} onClose=${p=>p?d(p):b()} />`:n`<${_s} then=${d} />`}
  <//>`}function go(e,s){let{write:o,held:a,blocks:r,resets:i}=ke(e),l={block:r&&!e.block_reseller&&_o,unblock:r&&e.block_reseller&&Co,contact:o&&vn,password:o&&vn,alert:a&&o&&qo,totp:i&&To};return Object.hasOwn(l,s)&&l[s]}function wo({reseller:e}){let{mine:s,write:o,moves:a,held:r,resets:i}=ke(e),l=v().is_admin&&x("prices:write")&&!e.is_admin,$=(c,m,d)=>n`<button type="button" onClick=${()=>j(c)}><${h} name=${m} />${d}</button>`;return n`${a&&n`<button type="button" class="button primary" aria-haspopup="dialog" onClick=${()=>Be.set({reseller:e,name:"topup"})}><${h} name="plus" />${t("reseller.topup")}</button>`}
    ${o&&n`<button type="button" class="button" onClick=${()=>j("contact")}>${t("reseller.contact")}</button>`}
    ${(a||s||r&&o||i||l)&&n`<${We} label=${t("more-about",{name:e.username})} look="button only">
      ${a&&n`<button type="button" onClick=${()=>Be.set({reseller:e,name:"reclaim"})}><${h} name="coins" />${t("reseller.reclaim")}</button>`}
      ${r&&o&&$("alert","bell",t("alert"))}
      ${l&&n`<${I} to=${"/prices?of="+e.id}><${h} name="tag" />${t("nav.prices")}<//>`}
      ${s&&n`<${I} to="/sessions"><${h} name="shield-check" />${t("nav.sessions")}<//>`}
      ${i&&n`<hr />${$("totp","shield-x",t("reseller.totp")+"…")}`}<//>`}`}function yo({reseller:e,alerts:s,turn:o}){let{moves:a,blocks:r,mine:i,held:l}=ke(e),{id:$,username:c}=e,m={account:$},d=Ye(m),p=e.is_admin?"admin":e.is_master?"master":"reseller",f=s.value?.balance_low,w=Cs(e,f),M=!x("events:read")||d.value||d.problem;return n`
    <p class="glance"><span class="badge"><${h} name="store" />${t("role."+p)}</span>${!e.active_tree&&n`<${Ts} reseller=${e} badge />`}<span class="quiet">${t("reseller.since",{date:Re(e.createdAt)})}</span></p>
    <${st} of=${"reseller "+$} name=${c} number=${be(e.whatsapp,e.country)} />
    <div class="cols">
      <div class="stack">
        ${!e.is_admin&&n`<section class="panel"><h2>${t("balance")}</h2><div class="top-up-in">
          <div><p class="big" data-balance=${e.credits}><${le} of=${e.credits} /></p>
            ${l&&!i&&n`<p class="low">${w&&n`<${h} name="trending-down" />${t(f?"reseller.low-alert":"home.low",{amount:B(w)})}`}</p>`}</div>
          ${a&&n`<div class="adds" role="group" aria-label=${t("reseller.topup")}>${Ss.map(E=>n`<button key=${E} type="button" class="button" aria-haspopup="dialog" translate=${!1} data-add=${E}
            onClick=${()=>Be.set({reseller:e,name:"topup",amount:E})}>+${E}</button>`)}</div>`}</div></section>`}
        ${x("lines:read")&&n`<${vo} reseller=${e} />`}
        ${M?n`${!!(e.is_master||e.is_admin)&&n`<section class="panel"><h2>${t("reseller.below")}</h2><${qs} key=${o} master=${$} /></section>`}<${Xe} of=${m} latest=${d} />`:n`<${Me} />`}
      </div>
      ${M&&n`<div class="stack">
        ${e.block&&n`<section class="panel"><h2>${t("reseller.blocked")}</h2><${xn} of=${e.block} /></section>`}
        <section class="panel"><h2>${t("line.record")}</h2><${W} of=${[[t("reseller.role"),t("role."+p)],[t("whatsapp"),e.whatsapp],[t("telegram"),e.telegram],[t("email"),e.email],[t("country"),je(e.country)],[t("notes"),e.notes&&n`<span class="text">${e.notes}</span>`],[t("reseller.master"),e.master&&!i?n`<${xo} id=${e.master} />`:null],[t("alert.field"),s.value?f?n`<${le} of=${f} />`:t("alert.none"):l&&!s.problem?"…":null],[t("reseller.recharged"),e.is_admin?null:T(e.recharge)],[t("line.id"),$],[t("created"),T(e.createdAt)],[t("changed"),T(e.updatedAt)]]} /></section>
        ${r&&n`<section class="panel"><h2>${t(e.block_reseller?"reseller.unblock":"reseller.block")}</h2>
          <p class="quiet">${t(e.block_reseller?"reseller.unblock-meaning":"reseller.block-meaning")}</p>
          ${e.block_reseller?n`<button type="button" class="button" onClick=${()=>j("unblock")}><${h} name="lock-open" />${t("reseller.unblock-title",{name:c})}</button>`:n`<button type="button" class="button danger-plain" onClick=${()=>j("block")}><${h} name="lock" />${t("reseller.block-title",{name:c})}…</button>`}</section>`}
      </div>`}
    </div>
    ${M&&x("ledger:read")&&n`<${kn} key=${o} account=${e} />`}`}var ko=[["running","circle-check","good"],["soon","clock-alert","warn"],["past","circle-x","bad"],["trials","circle-dashed","plain"]];function vo({reseller:{id:e}}){let{value:s,problem:o,reload:a}=_("/reports/summary",{account:e,days:1}),r=s?.lines,i=l=>"/lines?"+new URLSearchParams(mn({owner:e,...l}));return n`<section class="panel"><header><h2>${t("nav.lines")}</h2><${I} class="button link" to=${i({})}>${t("home.all")}<//></header>
    ${o&&n`<${D} problem=${o} retry=${a} />`}
    <ul class="tiles">${ko.map(([l,$,c])=>n`<li key=${l}><${I} class="tile" to=${i(Et[l][1])} data-count=${l}>
      <span class="figure">${r?L(r[Et[l][0]])+(r.capped?"+":""):" "}</span><span><${bs} icon=${$} tone=${c}>${t("tabs."+l)}<//></span><//></li>`)}</ul>
  </section>`}function xo({id:e}){let s=he(e);return e===v().id?s:n`<${I} to=${"/resellers/"+e}>${s||t("reseller.by-id",{id:e})}<//>`}var jt=({reseller:e,name:s,path:o="block",...a})=>n`<${oe} name=${`${s} ${e.id}`} path=${`/users/${e.id}/${o}`}
  title=${t(`reseller.${s}-title`,{name:e.username})} meaning=${t(`reseller.${s}-meaning`)} submit=${t("reseller."+s)} danger=${s!=="unblock"} ...${a}
  then=${()=>b(k(t(`reseller.${s}-done`,{name:e.username}),s==="block"?{undo:So(e)}:{}))} />`,So=({id:e,username:s})=>({name:"unblock "+e,method:"DELETE",path:`/users/${e}/block`,title:t("reseller.unblock-title",{name:s}),said:t("reseller.unblock-done",{name:s})}),xn=({of:{lines:e,reason:s,at:o}})=>n`<${W} of=${[[t("nav.lines"),t("block."+e)],[t("block.since"),o&&T(o)],[t("reason"),s&&n`<span class="text">${s}</span>`]]} />`;function _o(e){let{id:s,username:o}=e.reseller,a=x("lines:read"),r=_(a?"/reports/summary":null,{tree:s,days:1});return n`<${jt} ...${e} name="block" method="PUT" fields=${{lines:"run",reason:""}}>${i=>n`
    <${re} form=${i} name="lines" label=${t("block.lines")} of=${["run","suspend"].map(l=>[l,t("block."+l),t(`block.${l}-means`)])} />
    ${a&&i.fields.lines==="suspend"&&n`<${F} of=${r}>${Oo}<//>`}
    <${Ve} form=${i} name=${o} />`}<//>`}function Oo({lines:{running:e,trials:s,capped:o}}){let a=e+s,r=L(a);return n`<p role="status" data-stops=${a}><strong>${t("block.stops",{n:a,lines:o?t("at-least",{n:r}):r})}</strong></p>`}var Co=({reseller:e})=>n`<${jt} reseller=${e} name="unblock" method="DELETE">
  ${()=>e.block&&n`${e.block.lines==="suspend"&&n`<p>${t("block.over")}</p>`}<${xn} of=${e.block} />`}<//>`,To=e=>n`<${jt} ...${e} name="totp" method="DELETE" path="totp" />`;function vn({reseller:e}){let s=t("reseller.contact-title",{name:e.username}),{mine:o}=ke(e),a=A.get().query.get("do")==="password",r=S({name:"contact "+e.id,method:"PATCH",path:`/users/${e.id}/contact`,title:s,secret:["password"],fields:{country:e.country,whatsapp:e.whatsapp||"",telegram:e.telegram||"",email:e.email||"",notes:e.notes||"",username:e.username,password:""}}),{fields:{username:i,password:l},answer:$}=r;C(r,()=>b(k(t(l?"password.changed":"reseller.contact-done",{name:$.username}))));let c=()=>r.send({...Ge(r.fields),...!o&&te(i)!==e.username&&{username:i},...!o&&l&&{password:l}});return n`<section class="panel"><h2>${s}</h2>
    <${R} form=${r} submit=${t("save")} onSubmit=${c} onClose=${()=>b()}>
      <${Ke} form=${r} />
      ${!o&&n`<details open=${a||!!l||i!==e.username}><summary>${t("reseller.password")}</summary>
        <${O} form=${r} name="username" label=${t("username")} maxlength="64" required />
        <${O} form=${r} name="password" label=${t("password.new")} hint=${t("password.meaning")} type="password" autocomplete="new-password" minlength="6" maxlength="128" /></details>`}
    <//>
  </section>`}var qo=({reseller:e,alerts:s})=>n`<${F} of=${s}>${o=>n`<${Vs} account=${e} alerts=${o} changed=${s.set} />`}<//>`;function Fo(){let{actions:e,shown:s}=Lt(v());return n`<${q} title=${t("nav.statement")} actions=${e}>${s}<//>`}var Mt=50,Do=()=>n`<${q} title=${t("nav.jobs")}>
  <${fe} path="/bulk" label=${t("nav.jobs")} empty=${t("job.none")} row=${e=>n`<${I} class="row job-row" to=${"/jobs/"+e.id} data-row>
    <span class="name">${He(e)}</span><span class="quiet">${Tt(e)}</span><span class="quiet">${T(e.created_at)}</span><//>`} />
<//>`;function Eo({id:e}){let s=_(`/bulk/${e}`),o=Ct.use(),a=o?.id===Number(e)?o:s.value;return z(()=>{s.value?.status==="running"&&Rs(s.value)},[s.value]),n`<${q} title=${a?He(a):t("nav.jobs")} up="/lines">
    <${F} of=${a?{value:a}:s}>${r=>n`<${Ro} job=${r} />
      <p><${I} to="/jobs">${t("job.all")}<//></p>`}<//>
  <//>`}function Ro({job:e}){let s=e.status==="running",o=$n[e.action]||"lines:write";return n`<section class="panel" data-job=${e.status}>
    ${s&&n`<progress role="progressbar" max=${e.matched} value=${e.done} aria-valuenow=${e.done} aria-valuemin="0" aria-valuemax=${e.matched}
      aria-label=${He(e)} aria-valuetext=${Ps(e)}></progress>`}
    <p class="glance" role=${s?void 0:"status"}>${Tt(e)}</p>
    ${s&&x(o)&&n`<${Po} job=${e} />`}
    ${!s&&!e.dry_run&&n`<${W} of=${[[t("job.charged"),e.charged!=="0"&&n`<${le} of=${e.charged} />`],[t("job.left"),e.status==="stopped"&&ge(e.matched-e.done)],[t("job.began"),T(e.created_at)],[t("job.ended"),e.finished_at&&T(e.finished_at)]].filter(([,a])=>a)} />`}
  </section>
  ${!s&&!e.dry_run&&e.done>0&&n`<${Ao} job=${e} />`}`}function Po({job:e}){let s=S({name:"stop "+e.id,method:"DELETE",path:"/bulk/"+e.id,title:t("job.stop"),fields:{}});return C(s,()=>Ct.set(s.answer)),n`<${R} form=${s} danger submit=${t("job.stop")} onSubmit=${()=>s.send()} />`}function Ao({job:{id:e,refused:s}}){let[o,a]=y(null),[r,i]=y(null),l=()=>{let $=new AbortController,c={},m=s;return i(null),ls(`/bulk/${e}/results`,({line:d,code:p,line_username:f})=>{if(!p)return!0;let w=c[p]||={n:0,lines:[]};return w.n++<Mt&&w.lines.push({line:d,name:f||t("job.line",{id:d})}),--m>0},$.signal).then(()=>a(c),d=>{$.signal.aborted||i(d)}),()=>$.abort()};return z(()=>s?l():void 0,[]),n`${s>0&&n`<section class="panel" aria-busy=${!o&&!r}><h2>${t("job.refused",{n:s,count:L(s)})}</h2>
    ${r&&n`<${D} problem=${r} retry=${l} />`}
    ${o&&Object.entries(o).map(([$,{n:c,lines:m}])=>n`<div key=${$} data-why=${$}>
      <p>${ge(c)}: ${As($)}</p>
      <ul class="names">${m.map(({line:d,name:p})=>n`<li key=${d} class="name" translate=${!1}>${$==="not-found"?p:n`<${I} to=${"/lines/"+d}>${p}<//>`}</li>`)}${c>Mt&&n`<li class="quiet">${t("job.more",{n:c-Mt})}</li>`}</ul></div>`)}
  </section>`}
  <div class="buttons"><a class="button" href=${`${De}/bulk/${e}/results`} download=${`job-${e}.ndjson`}><${h} name="download" />${t("job.save")}</a></div>`}var Sn={lines:["line.*"],jobs:["bulk.*"],credits:["reseller.credited","reseller.reclaimed","line.activated","line.extended","balance.*"],accounts:["reseller.*","operator.*"],access:["session.*","token.*","password.*","totp.*"],keys:["key.*","staff.*"],webhooks:["webhook.*"]},_n=["what","mine","line","account"];function Io(){let{query:e}=A.use(),s=e.get("what")||"",o={type:Sn[s],account:e.get("mine")?v().id:e.get("account"),line:e.get("line")},{from:a,entries:r,problem:i,reload:l}=Fs(o),$=_n.some(m=>e.get(m)),c=(m,d,p)=>n`
    <select aria-label=${d} value=${e.get(m)||""} onChange=${f=>pe({[m]:f.target.value})}>
      ${p.map(([f,w])=>n`<option key=${f} value=${f}>${w}</option>`)}
    </select>`;return n`<${q} title=${t("nav.activity")}>
    <div class="filters">
      ${c("what",t("activity.what"),[["",t("activity.all")],...Object.keys(Sn).map(m=>[m,t("activity."+m)])])}
      ${U.haveBelow()&&c("mine",t("filter.whose"),[["",t("filter.everyone")],["1",t("filter.mine")]])}
      ${$&&n`<button type="button" class="button" onClick=${()=>pe(Object.fromEntries(_n.map(m=>[m,""])))}>
        <${h} name="x" />${t("filter.clear")}</button>`}
    </div>
    <div aria-live="polite">
      ${r.length>0&&n`<ul class="rows" aria-label=${t("activity.new")}>${r.map(m=>n`<li key=${m.id}>${qt(m)}</li>`)}</ul>`}
    </div>
    ${a===null&&i&&n`<${D} problem=${i} retry=${l} />`}
    ${a!==null&&n`<${fe} path="/events" query=${{...o,order:"desc"}} row=${m=>m.seq>a?null:qt(m)}
      label=${t("nav.activity")} lasting empty=${t($?"activity.none-such":"activity.none")} />`}
  <//>`}var Lo=10,On=80;function jo(){let{query:e}=A.use();return e.get("do")==="create"?n`<${Wo} />`:n`<${Mo} />`}var Mo=()=>n`<${Qe} path="/webhooks" title=${t("nav.webhooks")} meaning=${t("webhook.meaning")} add=${t("webhook.new")} most=${Lo}
  full=${t("problem.too-many-webhooks")} empty=${t("webhook.none")} row=${e=>n`<${No} webhook=${e} />`} />`,No=({webhook:e})=>n`<${I} class="row webhook" to=${"/webhooks/"+e.id} data-row>
  <span class="name">${e.url.length>On?e.url.slice(0,On-1)+"…":e.url}${e.description&&n`<span class="notes quiet">${e.description}</span>`}</span>
  <${rt} webhook=${e} />
  <span class="quiet">${ot(e)} · ${at(e)}</span>
  ${!e.enabled&&n`<span>${Oe(e).join(" ")}</span>`}
<//>`;function Wo(){let e=S({name:"webhook",method:"POST",path:"/webhooks",title:t("webhook.new"),place:"/webhooks?do=create",fields:lt()}),{fields:s,answer:o}=e;return C(e,()=>{we.set({of:"webhook "+o.id,secret:o.secret}),Ee("/webhooks/"+o.id,{replace:!0,state:k(t("webhook.created"))})}),n`<${q} title=${t("webhook.new")} up="/webhooks"><section class="panel">
    <${R} form=${e} submit=${t("reseller.create")} ready=${$t(s)} onSubmit=${()=>e.send(it(s))} onClose=${()=>b()}>
      <${ct} form=${e} />
    <//>
  </section><//>`}var Bo=1e3,zo=25e3,Cn=10,dt=e=>e?.find(({event:s})=>s.startsWith("test_")),Uo=e=>e.replace(/.*_/,""),Tn=({error:e,cause:s})=>de("delivery.tls."+s)?t("delivery.tls."+s):de("delivery.why."+e)?t("delivery.why."+e):e,qn=({of:{answer:e}})=>e&&n`<span class="text">${t("delivery.answer")} <bdi>${e}</bdi></span>`;function Fn(e,s){let o=_(`/webhooks/${e}/deliveries`),[a,r]=y(null);z(()=>{if(!s||!a||a.over)return;let l=new AbortController;return i(l.signal),()=>l.abort()},[s,a]);let i=async l=>{for(let $=Date.now()+zo;Date.now()<$;){if(await Es(l,Bo),await Ds(l),l.aborted)return;try{let c=await V("GET",`/webhooks/${e}/deliveries`,{signal:l});if(o.set(c),a?.test&&dt(c.data)?.event!==a.before)break}catch{}}l.aborted||r($=>$&&{...$,over:!0})};return{...o,test:a?.test&&dt(o.value?.data)?.event!==a.before?dt(o.value?.data):void 0,watched:a,watch:(l=!1)=>r({test:l,before:dt(o.value?.data)?.event,over:!1})}}function Dn({of:{test:e,watched:s}}){return s?.test?e?e.error?n`<${Y} tone="bad"><p>${t("webhook.test-failed",{why:Tn(e)})} <${qn} of=${e} /></p><//>`:n`<${Y} tone="good"><p>${t("webhook.test-arrived",{status:e.http_status,ms:L(e.duration_ms)})}</p><//>`:n`<${Y} tone=${s.over?"unsure":"plain"}><p>${t(s.over?"webhook.test-late":"webhook.test-sent")}</p><//>`:null}function En({of:e,enabled:s,refresh:o}){let[a,r]=y(!1);return n`<section class="panel"><h2>${t("delivery.attempts")}</h2>
    <${F} of=${e}>${({data:i})=>n`
      ${i.length?n`<ul class="rows">${i.slice(0,a?i.length:Cn).map(l=>n`<li key=${l.event+l.attempt+l.at}>
        <${Ko} of=${l} goesOn=${s&&i.find(({event:$})=>$===l.event)===l} /></li>`)}</ul>`:n`<p class="quiet">${t("delivery.none")}</p>`}
      <div class="buttons">
        ${i.length>Cn&&!a&&n`<button type="button" class="button" onClick=${()=>r(!0)}>${t("home.all")}</button>`}
        <button type="button" class="button" disabled=${e.loading} onClick=${o}><${h} name="rotate-cw" />${t("list.refresh")}</button>
      </div>`}<//>
  </section>`}var Ho=e=>e&&Date.parse(e)>P()&&(Date.parse(e)<P()+6e4?t("delivery.soon"):t("delivery.next",{at:Ie(e)}));function Ko({of:e,goesOn:s}){let o=[e.http_status&&t("delivery.status",{status:e.http_status}),L(e.duration_ms)+" ms",e.attempt>1&&t("delivery.attempt",{n:e.attempt}),s&&Ho(e.next_attempt_at)];return n`<div class="row delivery">
    <span class="name">${t(e.event.startsWith("test_")?"delivery.test":"delivery.entry",{n:Uo(e.event)})}</span>
    <${ue} good=${!e.error}>${t(e.error?"delivery.failed":"delivery.arrived")}<//>
    ${e.error&&n`<span>${Tn(e)}</span>`}
    <${qn} of=${e} />
    <span class="quiet"><time datetime=${e.at}>${T(e.at)}</time>${o.filter(Boolean).map(a=>" · "+a)}</span>
  </div>`}function Go({id:e}){let{query:s}=A.use(),o=X(`/webhooks/${e}`);return ye(),n`<${q} title=${o.value?nt(o.value):t("nav.webhooks")} up="/webhooks">
    <${F} of=${o}>${a=>n`<${Qo} webhook=${a} doing=${s.get("do")||""} changed=${o.set} reload=${o.reload} />`}<//>
  <//>`}function Qo({webhook:e,doing:s,changed:o,reload:a}){let[r,i]=y(0),l={edit:Vo,enable:!e.enabled&&Rn,disable:e.enabled&&Rn,rotate:Xo,replay:e.enabled&&ta,delete:sa},$=Object.hasOwn(l,s)&&l[s],c=Fn(e.id,!$);if($)return n`<${$} key=${s} webhook=${e} changed=${o} sent=${c.watch} />`;let m=(p,f,w="")=>n`<button type="button" class=${"button "+w} onClick=${()=>j(p)}>${t(f)}</button>`,d=()=>{c.watch(!0),i(r+1)};return n`
    <${Je} of=${"webhook "+e.id} title=${t("webhook.secret")} meaning=${t("webhook.secret-once")} copy=${t("webhook.secret-copy")} />
    <p class="glance"><${rt} webhook=${e} /></p>
    ${!e.enabled&&n`<${Y} tone="unsure"><p><strong>${Oe(e)[0]}</strong></p><p>${Oe(e)[1]} ${t("webhook.meanwhile")}</p><//>`}
    <div class="buttons">
      ${e.enabled?n`<${Jo} key=${r} webhook=${e} ready=${!!c.value} sent=${d} />`:m("enable","webhook.enable","primary")}
      ${m("edit","line.edit")}${m("rotate","webhook.rotate")}
      ${e.enabled&&n`${m("replay","webhook.replay")}${m("disable","webhook.disable")}`}
      ${m("delete","line.delete","danger-plain")}
    </div>
    <div aria-live="polite">${e.enabled&&n`<${Dn} of=${c} />`}</div>
    <section class="panel">
      <h2>${t("line.record")}</h2>
      <${W} of=${[[t("webhook.url"),e.url],[t("webhook.types"),ot(e)],[t("filter.whose"),at(e)],[t("webhook.description"),e.description&&n`<span class="text">${e.description}</span>`],[t("line.id"),e.id],[t("created"),T(e.created_at)]]} />
    </section>
    <${En} of=${c} enabled=${e.enabled} refresh=${()=>{c.reload(),a()}} />`}function Jo({webhook:e,ready:s,sent:o}){let a=S({name:"test "+e.id,method:"POST",path:`/webhooks/${e.id}/test`,title:ve("webhook.test",e),fields:{}}),{state:r,problem:i}=a;return C(a,o),n`<div class=${r==="unknown"||i?"wide":""} data-form=${r}>
    ${r==="unknown"?n`<${se} form=${a} />`:n`<button type="button" class="button primary" disabled=${a.frozen||!s} onClick=${()=>a.send({})}>${t(r==="sending"?"form.sending":"webhook.test")}</button>`}
    ${r==="refused"&&i&&n`<${D} problem=${i} />`}
  </div>`}var ve=(e,s)=>`${t(e)}: ${nt(s)}`;function Vo({webhook:e,changed:s}){let o=ve("line.edit",e),a=S({name:"edit webhook "+e.id,method:"PATCH",path:"/webhooks/"+e.id,title:o,fields:lt(e)});return C(a,()=>{s(a.answer),b(k(t("webhook.edited")))}),n`<section class="panel"><h2>${o}</h2>
    <${R} form=${a} submit=${t("save")} ready=${$t(a.fields)} onSubmit=${()=>a.send(it(a.fields))} onClose=${()=>b()}>
      <${ct} form=${a} />
    <//>
  </section>`}function Rn({webhook:e,changed:s,sent:o}){let a=e.enabled?"webhook.disable":"webhook.enable",r=ve(a,e);return n`<${oe} name=${`${a} ${e.id}`} method="PATCH" path=${"/webhooks/"+e.id} title=${r} meaning=${t(a+"-meaning")} submit=${t(a)}
    body=${{enabled:!e.enabled}} then=${i=>{b(k(t(a+"-done"))),s(i),e.enabled||o()}} />`}var Yo=[24,72,168,0];function Xo({webhook:e}){let s=ve("webhook.rotate",e),o=S({name:"rotate "+e.id,method:"POST",path:`/webhooks/${e.id}/rotate`,title:s,place:`/webhooks/${e.id}?do=rotate`,fields:{overlap_hours:24}});return C(o,()=>{let{secret:a,previous_expires_at:r}=o.answer;we.set({of:"webhook "+e.id,secret:a}),b(k(r?t("webhook.rotated-until",{at:T(r)}):t("webhook.rotated")))}),n`<section class="panel"><h2>${s}</h2>
    <${R} form=${o} submit=${t("webhook.rotate")} onSubmit=${()=>o.send(o.fields)} onClose=${()=>b()}>
      <p>${t("webhook.rotate-meaning")}</p>
      <${re} form=${o} name="overlap_hours" label=${t("webhook.overlap")} of=${Yo.map(a=>[a,a?t("period.day",{n:a/24}):t("webhook.overlap-none")])} />
    <//>
  </section>`}var Zo=36e5;async function ea(e,{hours:s,...o},a){let r=new Date(P()-s*Zo).toISOString(),i=0,l=0,$="",c="";for(let m=0;c!==null&&m<rs;m++){let{data:d,next_cursor:p}=await V("GET",e,{query:{...o,order:"desc",limit:500,cursor:c},signal:a}),f=d.filter(w=>w.timestamp>=r);i+=f.length,f.length&&({seq:l,timestamp:$}=f[f.length-1]),c=f.length<d.length?null:p}return{n:i,seq:l,at:$}}function ta({webhook:e,sent:s}){let o=ve("webhook.replay",e),a=S({name:"replay "+e.id,method:"POST",path:`/webhooks/${e.id}/replay`,title:o,fields:{from:"1",number:""}}),{from:r,number:i}=a.fields,l=r==="entry",$=_(l?null:"/events",{hours:r,type:e.types.includes("*")?[]:e.types,account:e.scope==="own"?v().id:""},ea),c=l?/^[1-9]\d{0,14}$/.test(Se(i))&&Number(Se(i)):$.value?.seq;return C(a,()=>{b(k(t("webhook.replayed"))),s()}),n`<section class="panel"><h2>${o}</h2>
    <${R} form=${a} submit=${t("webhook.replay")} ready=${!!c} onSubmit=${()=>a.send({after_seq:Number(c)-1})} onClose=${()=>b()}>
      <p>${t("webhook.replay-meaning")}</p>
      <${re} form=${a} name="from" label=${t("webhook.replay-from")} of=${["1","24","168","entry"].map(m=>[m,t("webhook.replay."+m)])} />
      ${l?n`<${O} form=${a} name="number" label=${t("webhook.replay-number")} hint=${t("webhook.replay-hint")} inputmode="numeric" maxlength="15" required />`:n`<${F} of=${$}>${({n:m,at:d})=>n`<p role="status">${m?t("webhook.replay-count",{n:m,at:T(d)}):t("webhook.replay-nothing")}</p>`}<//>`}
    <//>
  </section>`}var sa=({webhook:e})=>n`<${oe} name=${"delete webhook "+e.id} method="DELETE" path=${"/webhooks/"+e.id} title=${ve("line.delete",e)}
  meaning=${t("webhook.delete-meaning")} submit=${t("line.delete")} danger then=${()=>me("/webhooks",k(t("webhook.deleted",{host:nt(e)})))} />`;var In=["read_only","support","cashier","manager"],Pn=["lines:read","lines:passwords","lines:write","lines:spend","lines:delete","users:read","users:write","credits:move","ledger:read","events:read","entitlements:read","prices:write","manage"],An=(e,s)=>de(`${e}.${s}`)?t(`${e}.${s}`):s,ut=e=>e.role?An("rights",e.role):e.scopes.map(s=>An("scope",s)).join("; "),Nt=e=>de(`rights.${e}-means`)?t(`rights.${e}-means`):"",Wt=({spend_limit:e,spent:s})=>e?t("limit.spent",{spent:B(s),limit:Le(e.credits)}):t("limit.none"),Bt=({last_used_at:e,last_used_address:s})=>e?t("key.used",{at:T(e),address:s||""}):t("key.unused");function zt({one:{expires_at:e}}){let s=!e||new Date(e).getTime()>P();return n`<${ue} good=${s}>${t("line.state."+(s?"active":"expired"))}<//>`}var ft=e=>new Date(new Date(e).getTime()-new Date(e).getTimezoneOffset()*6e4).toISOString().slice(0,10),Ut=(e,s)=>({...e==="key"?{name:s?.name||"",expires_at:s?.expires_at?ft(s.expires_at):"",allowed_addresses:s?.allowed_addresses.join(`
`)||""}:{username:s?.username||"",...s?{}:{password:""}},role:s?s.role||"":In[0],scopes:s?.scopes||[],credits:s?.spend_limit?B(s.spend_limit.credits):""});function Ht({role:e,scopes:s,credits:o,expires_at:a,allowed_addresses:r,...i},l){let{amount:$}=ne(o);return{...i,...e?{role:e}:{scopes:s},spend_limit:$?{credits:$,per:"day"}:null,...r===void 0?{}:{allowed_addresses:Se(r).split(/[\s,;]+/).filter(Boolean),expires_at:a?l?.expires_at&&ft(l.expires_at)===a?l.expires_at:new Date(a+"T23:59:59").toISOString():null}}}var Kt=({role:e,scopes:s})=>!!e||s.length>0;function Gt({form:e,kind:s,...o}){let{fields:a}=e,r=(i,l)=>e.set({scopes:Pn.filter($=>$===i?l:a.scopes.includes($))});return n`
    ${s==="key"?n`<${O} form=${e} name="name" label=${t("key.name")} hint=${t("key.name-hint")} maxlength="64" required />`:n`<${O} form=${e} name="username" label=${t("username")} hint=${t("staff.username-hint")} maxlength="64" required />
        ${"password"in a&&n`<${O} form=${e} name="password" label=${t("password")} hint=${t("password.generated")} minlength="6" maxlength="128" required />`}`}
    <${re} form=${e} name="role" label=${t("rights")} of=${[...In,""].map(i=>[i,t("rights."+(i||"own")),Nt(i||"own")])} />
    ${!a.role&&n`<fieldset class="choice few" disabled=${e.frozen} aria-label=${t("rights.own")}>
      ${!a.scopes.length&&n`<p class="quiet">${t("webhook.choose")}</p>`}
      ${Pn.filter(x).map(i=>n`<label key=${i}>
        <input type="checkbox" value=${i} checked=${a.scopes.includes(i)} onChange=${l=>r(i,l.target.checked)} />
        <span>${t("scope."+i)}</span></label>`)}
    </fieldset>`}
    <${vs} form=${e} typed=${ne(a.credits)} label=${t("limit")} hint=${t("limit.hint")} required=${!1} />
    ${s==="key"&&n`
      <${O} form=${e} name="expires_at" label=${t("key.expires")} hint=${t("key.expires-hint")} type="date" max="9999-12-31" ...${o} />
      <${O} form=${e} name="allowed_addresses" label=${t("key.addresses")} hint=${t("key.addresses-hint")} kind="textarea" rows="2" maxlength="2500" />`}`}function na(){let{query:e}=A.use(),s=e.get("do")||"",o=X("/auth/session"),a={password:Xs,name:!v().staff&&oa,totp:nn,"no-totp":on},r=Object.hasOwn(a,s)&&a[s];return r?n`<${q} title=${t("nav.sessions")}><${r} of=${o} /><//>`:n`<${q} title=${t("nav.sessions")}>
    <div class="buttons"><button type="button" class="button" onClick=${()=>j("password")}>${t("password.change")}</button>
      ${!v().staff&&n`<button type="button" class="button" onClick=${()=>j("name")}>${t("name.change")}</button>`}</div>
    <${F} of=${o}>${i=>n`<${sn} on=${i.totp} /><${aa} />`}<//>
  <//>`}function oa(){let e=_("/users/logged");return n`<${F} of=${e}>${s=>n`<${Zs} account=${s} />`}<//>`}function aa(){let e=_("/auth/sessions");return n`<h2>${t("sessions")}</h2><p>${t(v().staff?"sessions.own-meaning":"sessions.meaning")}</p><${Qt} of=${e} />`}function Qt({of:e,name:s}){return n`<${F} of=${e}>${o=>{let a=o.filter(r=>!s||r.staff===s);return a.length?n`<ul class="rows">${a.map(r=>n`<li key=${r.id}><${ra} session=${r} ended=${e.reload} /></li>`)}</ul>`:n`<p class="quiet">${t("sessions.none")}</p>`}}<//>`}function ra({session:e,ended:s}){let[o,a]=y(null),[r,i]=y(!1),l=async()=>{i(!0),a(null);try{await V("DELETE","/auth/sessions/"+e.id),s()}catch($){$.status===404?s():a($),i(!1)}};return n`<div class="row session">
    <span class="name">${la(e.device)}${e.staff&&e.staff!==v().staff?.username&&n` · ${e.staff}`}${e.current&&n` <${ue} good badge>${t("sessions.this")}<//>`}</span>
    <span class="quiet">${t("sessions.used",{at:T(e.last_used_at),address:e.address})}</span>
    <span class="quiet">${t("sessions.since",{at:T(e.created_at)})}</span>
    ${!e.current&&n`<button type="button" class="button" disabled=${r} onClick=${l}>${t("sessions.end")}</button>`}
    ${o&&n`<${D} problem=${o} retry=${l} />`}
  </div>`}function la(e){let s=[[/Edg(e|A|iOS)?\//,"Edge"],[/OPR\//,"Opera"],[/SamsungBrowser\//,"Samsung Internet"],[/Firefox\/|FxiOS\//,"Firefox"],[/Chrom(e|ium)\/|CriOS\//,"Chrome"],[/Safari\//,"Safari"]].find(([a])=>a.test(e))?.[1],o=[[/Android/,"Android"],[/iPhone|iPad/,"iOS"],[/Windows/,"Windows"],[/Mac OS X/,"macOS"],[/CrOS/,"ChromeOS"],[/Linux/,"Linux"]].find(([a])=>a.test(e))?.[1];return[s,o].filter(Boolean).join(" · ")||e||t("sessions.unknown")}var ia=100,G={key:"/keys",staff:"/staff"},xe=e=>e.name||e.username,$a=()=>n`<${Ln} kind="key" />`,ca=()=>n`<${Ln} kind="staff" />`,ma=({id:e})=>n`<${jn} kind="key" id=${e} />`,pa=({id:e})=>n`<${jn} kind="staff" id=${e} />`;function Ln({kind:e}){let{query:s}=A.use();return s.get("do")==="create"?n`<${ua} kind=${e} />`:n`<${Qe} path=${G[e]} title=${t("nav."+G[e].slice(1))} meaning=${t(e+".meaning")} add=${t(e+".new")} most=${ia}
    full=${t("problem.too-many-principals")} empty=${t(e+".none")} row=${o=>n`<${da} kind=${e} one=${o} />`} />`}var da=({kind:e,one:s})=>n`<${I} class="row principal" to=${`${G[e]}/${s.id}`} data-row>
  <span class="name" translate=${!1}>${xe(s)}</span>
  <span>${e==="key"&&n`<${zt} one=${s} />`}</span>
  <span>${ut(s)}</span>
  <span class="quiet">${s.expires_at&&n`${t("event.until",{until:T(s.expires_at)})} · `}${Wt(s)} · ${Bt(s)}</span>
<//>`;function ua({kind:e}){let s=S({name:e,method:"POST",path:G[e],title:t(e+".new"),place:G[e]+"?do=create",secret:["password"],fields:{...Ut(e),...e==="staff"&&{password:Ys()}}}),{fields:o,answer:a}=s;return C(s,()=>{we.set({of:`${e} ${a.id}`,secret:a.key||o.password}),Ee(`${G[e]}/${a.id}`,{replace:!0,state:k(t(e+".created",{name:xe(a)}))})}),n`<${q} title=${t(e+".new")} up=${G[e]}><section class="panel">
    <${R} form=${s} submit=${t("reseller.create")} ready=${Kt(o)} unclear=${!!ne(o.credits).wrong} onSubmit=${()=>s.send(Ht(o))} onClose=${()=>b()}>
      <${Gt} form=${s} kind=${e} min=${ft(P())} />
    <//>
  </section><//>`}function jn({kind:e,id:s}){let{query:o}=A.use(),a=X(`${G[e]}/${s}`);return ye(),n`<${q} title=${a.value?xe(a.value):t("nav."+G[e].slice(1))} named=${a.value} up=${G[e]}>
    <${F} of=${a}>${r=>n`<${fa} kind=${e} one=${r} doing=${o.get("do")||""} changed=${a.set} />`}<//>
  <//>`}function fa({kind:e,one:s,doing:o,changed:a}){let r={edit:ba,remove:ya,...e==="staff"?{password:ga,totp:wa}:{}},i=Object.hasOwn(r,o)&&r[o];if(i)return n`<${i} key=${o} kind=${e} one=${s} changed=${a} />`;let l=($,c,m="")=>n`<button type="button" class=${"button "+m} onClick=${()=>j($)}>${t(c)}</button>`;return n`
    ${e==="staff"?n`<${st} of=${"staff "+s.id} name=${s.username} />`:n`<${Je} of=${"key "+s.id} title=${t("key.secret")} meaning=${t("key.secret-once")} copy=${t("key.secret-copy")} /><p class="glance"><${zt} one=${s} /></p>`}
    <div class="buttons">
      ${l("edit","line.edit")}
      ${e==="staff"&&n`${l("password","password.new")}${l("totp","reseller.totp")}`}
      ${l("remove",e+".remove","danger-plain")}
    </div>
    <section class="panel">
      <h2>${t("line.record")}</h2>
      <${W} of=${[[t("rights"),s.role?n`<strong>${ut(s)}</strong>. ${Nt(s.role)}`:ut(s)],[t("limit"),Wt(s)],[t("key.expires"),e==="key"?s.expires_at?n`<${ys} at=${s.expires_at} />`:t("key.never"):null],[t("key.addresses"),e==="key"?s.allowed_addresses.join(", ")||t("key.anywhere"):null],[t("key.last"),Bt(s)],[t("line.id"),s.id],[t("created"),T(s.created_at)]]} />
    </section>
    ${e==="staff"&&!v().staff&&n`<${ha} name=${s.username} />`}`}function ha({name:e}){let s=_("/auth/sessions");return n`<section class="panel"><h2>${t("sessions")}</h2><${Qt} of=${s} name=${e} /></section>`}var ht=(e,s)=>`${t(e)}: ${xe(s)}`;function ba({kind:e,one:s,changed:o}){let a=ht("line.edit",s),r=S({name:`edit ${e} ${s.id}`,method:"PATCH",path:`${G[e]}/${s.id}`,title:a,fields:Ut(e,s)}),{fields:i,answer:l}=r;return C(r,()=>{b(k(t("reseller.contact-done",{name:xe(l)}))),o(l)}),n`<section class="panel"><h2>${a}</h2>
    <${R} form=${r} submit=${t("save")} ready=${Kt(i)} unclear=${!!ne(i.credits).wrong} onSubmit=${()=>r.send(Ht(i,s))} onClose=${()=>b()}>
      <${Gt} form=${r} kind=${e} />
    <//>
  </section>`}function ga({one:e}){let s=ht("password.new",e),o=S({name:"password of staff "+e.id,method:"PATCH",path:"/staff/"+e.id,title:s,secret:["password"],fields:{password:""}});return C(o,()=>b(k(t("staff.password-done",{name:e.username})))),n`<section class="panel"><h2>${s}</h2>
    <${R} form=${o} submit=${t("save")} onSubmit=${()=>o.send(o.fields)} onClose=${()=>b()}>
      <p>${t("staff.password-meaning")}</p>
      <${O} form=${o} name="password" label=${t("password.new")} hint=${t("reseller.password-hint")} minlength="6" maxlength="128" required />
    <//>
  </section>`}var wa=({one:e})=>n`<${oe} name=${"totp of staff "+e.id} method="DELETE" path=${`/staff/${e.id}/totp`} title=${ht("reseller.totp",e)}
  meaning=${t("reseller.totp-meaning")} submit=${t("reseller.totp")} danger then=${()=>b(k(t("reseller.totp-done",{name:e.username})))} />`,ya=({kind:e,one:s})=>n`<${oe} name=${`remove ${e} ${s.id}`} method="DELETE" path=${`${G[e]}/${s.id}`} title=${ht(e+".remove",s)}
  meaning=${t(e+".remove-meaning")} submit=${t(e+".remove")} danger then=${()=>me(G[e],k(t(e+".removed",{name:xe(s)})))} />`;var Mn=["whatsapp","telegram"];function ka(){let e=_(`/users/${v().id}/messages`),[s,o]=y(0),a=r=>{e.set(r),Qs(r),o(s+1),H(k(t("messages.saved")))};return n`<${q} title=${t("nav.messages")}>
    <p>${t(v().is_admin?"messages.meaning-top":"messages.meaning")}</p>
    <${F} of=${e}>${r=>x("users:write")?n`<${xa} key=${s} messages=${r} saved=${a} />`:n`<${va} messages=${r} />`}<//>
  <//>`}var Nn=e=>{let s={access:30,reminder:3,expired:-1,welcome:30}[e]||30;return{username:"maria.tv",password:"7Kd92x",expDate:new Date(P()+s*864e5).toISOString()}},Wn=({text:e})=>n`<p class="bubble text" translate=${!1} data-message>${e}</p>`,va=({messages:e})=>n`
  <section class="panel"><h2>${t("messages.where")}</h2>
    <${W} of=${["server","apps"].map(s=>[t("messages."+s),n`<span class="text">${et(s,e)||t("messages.none")}</span>`])} />
  </section>
  <div class="panels">${ie.map(s=>n`<section class="panel" key=${s}><h2>${t("messages."+s)}</h2>
    <${Wn} text=${Dt(et(s,e),Nn(s),e)} /></section>`)}</div>`;function xa({messages:e,saved:s}){let o=["server","apps",...ie,...Mn],a=Object.fromEntries(o.map(c=>[c,Mn.includes(c)?"":e.inherited[c]||(ie.includes(c)?t("message.default."+c):"")])),r=S({name:"messages",method:"PUT",path:`/users/${v().id}/messages`,title:t("nav.messages"),fields:Object.fromEntries(o.map(c=>[c,e[c]||a[c]]))}),{fields:i}=r;C(r,()=>s(r.answer));let l=Object.fromEntries(o.map(c=>{let m=(c==="server"?i[c].replace(/\s+/g," "):i[c]).trim();return[c,m===a[c].trim()?null:m||null]})),$={...l,inherited:e.inherited};return n`<${R} form=${r} submit=${t("save")} onSubmit=${()=>r.send(l)}>
    <section class="panel"><h2>${t("messages.where")}</h2>
      <${Jt} form=${r} name="server" above=${a.server} hint=${t("messages.server.hint")} kind="textarea" rows="1" inputmode="url" maxlength="254" />
      <${Jt} form=${r} name="apps" above=${a.apps} hint=${t("messages.apps.hint")} kind="textarea" rows="3" maxlength="1000" />
    </section>
    ${ie.map(c=>n`<section class="panel template" key=${c}>
      <div>
        <${Jt} form=${r} name=${c} above=${a[c]}
          standard=${!e.inherited[c]} kind="textarea" rows="8" maxlength="2000" autocapitalize="sentences" />
        <div class="inserts" role="group" aria-label=${t("messages.insert")}>${Ks.map(m=>n`<button type="button" class="button" key=${m} disabled=${r.frozen}
          onClick=${d=>Sa(r,c,`{${m}}`,d.currentTarget)}><${h} name="plus" />${t("messages.put."+m)}</button>`)}</div>
      </div>
      <div><p class="quiet">${t("messages.preview")}</p><${Wn} text=${Dt(et(c,$),Nn(c),$)} /></div>
    </section>`)}
    ${U.haveBelow()&&n`<section class="panel"><h2>${t("messages.reach")}</h2><p>${t("messages.reach.meaning")}</p>
      <${O} form=${r} name="whatsapp" label=${t("whatsapp")} hint=${t("whatsapp.hint")} type="tel" inputmode="tel" maxlength="64" />
      <${O} form=${r} name="telegram" label=${t("telegram")} hint=${t("messages.telegram.hint")} maxlength="64" />
    </section>`}
  <//>`}var Jt=({form:e,name:s,above:o,standard:a=!1,...r})=>n`
  <${O} form=${e} name=${s} label=${t("messages."+s)} placeholder=${o} ...${r} />
  ${!!o&&(e.fields[s].trim()!==o.trim()?n`<button type="button" class="button link" disabled=${e.frozen} onClick=${()=>e.set({[s]:o})}><${h} name="rotate-cw" />${t(a?"messages.use-standard":"messages.use-above")}</button>`:n`<p class="from"><span class="badge">${t(a?"messages.is-standard":"messages.is-above")}</span></p>`)}`;function Sa(e,s,o,a){let r=a.closest(".template")?.querySelector("textarea"),{value:i,selectionStart:l,selectionEnd:$}=r;e.set({[s]:i.slice(0,l)+o+i.slice($)}),setTimeout(()=>{r.focus(),r.setSelectionRange(l+o.length,l+o.length)})}var _a=20,Oa=()=>v().is_admin&&x("prices:write")?n`<${Ta} />`:n`<${Ca} />`;function Ca(){let e=_("/prices");return n`<${q} title=${t("nav.prices")}>
    <${F} of=${e}>${({prices:s})=>n`<section class="panel">
      <${W} of=${s.map(o=>[_e(o),n`<${le} of=${o.credits} />`])} /></section>`}<//>
  <//>`}function Ta(){let{query:e}=A.use(),s=Number(/^[1-9]\d*$/.exec(e.get("of")||"")?.[0]||0),o=e.get("do"),a=s?`/users/${s}/prices`:"/prices/book",r=_("/plans",{all:!0}),i=_(a),l=_(a+"/history",{limit:_a}),[$,c]=y(0),m=()=>{c($+1),Ls(),[r,i,l].forEach(p=>p.reload())},d={...r,value:r.value&&i.value&&l.value&&!0,problem:r.problem||i.problem||l.problem,reload:m};return n`<${q} title=${t("nav.prices")} actions=${n`<button type="button" class="button" onClick=${()=>j("plan")}><${h} name="plus" />${t("plan.new")}</button>`}>
    <${F} of=${d}>${()=>n`<nav class="tabs" aria-label=${t("prices.books")}><${Vt} of=${0} at=${s} />
      ${i.value.reach.other_books.map(p=>n`<${Vt} key=${p} of=${p} at=${s} />`)}
      ${!!s&&!i.value.reach.other_books.includes(s)&&n`<${Vt} of=${s} at=${s} />`}
      <a href=${is("/prices?do=book")} onClick=${p=>{p.preventDefault(),j("book")}}><${h} name="plus" />${t("prices.another")}</a></nav>
      <${Fa} key=${s+" "+$} of=${s} path=${a} plans=${r.value?.data||[]} book=${i.value} past=${l.value.data} reload=${m} />`}<//>
    ${o==="plan"&&n`<${Wa} sort=${Math.max(0,...(r.value?.data||[]).map(p=>p.sort))+1} then=${m} />`}
    ${o==="book"&&n`<${qa} />`}
  <//>`}function qa(){let[e,s]=y(""),o=_("/users",{q:te(e),limit:8});return n`<${J} title=${t("prices.another")} onClose=${()=>b()}>
    <label class="search"><${h} name="search" /><input type="search" value=${e} autofocus onInput=${a=>s(a.target.value)} aria-label=${t("prices.find")} placeholder=${t("prices.find")} autocapitalize="none" autocomplete="off" spellcheck=${!1} maxlength="64" /></label>
    <div class="finds"><${F} of=${o}>${({data:a})=>n`<ul class="rows">${a.filter(r=>!r.is_admin).map(r=>n`<li key=${r.id}><${I} class="row" to=${"/prices?of="+r.id} translate=${!1}>${r.username}<//></li>`)}</ul>`}<//></div>
  <//>`}function Vt({of:e,at:s}){let o=he(e||v().id);return n`<${I} to=${e?"/prices?of="+e:"/prices"} aria-current=${e===s?"page":void 0}>
    ${e?n`<span translate=${!1}>${o||t("reseller.by-id",{id:e})}</span>`:t("prices.platform")}<//>`}function Fa({of:e,path:s,plans:o,book:a,past:r,reload:i}){let l=new Map(a.rows.map(g=>[g.plan,g.credits])),$=he(e||v().id),c=S({name:"prices "+e,method:"PUT",path:s,title:t("nav.prices"),fields:{when:"now",at:"",note:""}}),{fields:m,frozen:d}=c,p=o.map(g=>{let N=l.get(g.id)||"",ae=m["p"+g.id];return{plan:g,was:N,...ae===void 0?{amount:N,wrong:""}:ne(ae)}}),f=p.filter(({was:g,amount:N,wrong:ae})=>ae||!bt(g,N)),w=p.some(g=>g.wrong),M=m.when==="at"?m.at&&new Date(m.at):null;C(c,()=>{H(k(t("prices.published",{when:Pe(c.answer.effective_at)}))),i()});let E=()=>c.send({rows:p.filter(g=>g.amount).map(g=>({plan:g.plan.id,credits:g.amount})),effective_at:M?M.toISOString():void 0,note:m.note.trim()||null});return n`
    ${!!e&&a.inherited_from!==null&&n`<${Y}><p>${t("prices.inherited",{name:$})}</p><//>`}
    <div class="cols prices">
      <div class="stack">
        <section class="panel"><table class="table book"><thead><tr><th>${t("plan")}</th><th>${t("price.choose")}</th><th class="num con">${t("plan.connections")}</th>
          <th class="num">${t("prices.today")}</th><th class="new">${t("prices.new")}</th><th class="num diff">${t("prices.change")}</th><th class="on">${t("plan.on-sale")}</th></tr></thead>
          <tbody>${p.map(g=>n`<${Ea} key=${g.plan.id} row=${g} form=${c} reload=${i} />`)}</tbody></table></section>
        <p class="quiet small">${t("plan.immutable")}</p>
        <${ja} of=${e} path=${s} past=${r} plans=${o} reload=${i} />
      </div>
      <section class="panel publish"><h2>${f.length?t("prices.publish-n",{n:f.length,count:L(f.length)}):t("prices.publish")}</h2>
        <${R} form=${c} submit=${M?t("prices.publish-at",{when:Pe(M)}):t("prices.publish")} ready=${!!f.length&&!w&&(m.when==="now"||!!M)} onSubmit=${E}
          onClose=${f.length&&!d?()=>{c.restart()}:void 0}>
          <${Bn} form=${c} name="when" label=${t("prices.when")} of=${["now","at"].map(g=>[g,t("prices.when."+g)])} />
          ${m.when==="at"&&n`<${O} form=${c} name="at" label=${t("prices.at")} type="datetime-local" max="9999-12-31T23:59" required hint=${Intl.DateTimeFormat().resolvedOptions().timeZone.replaceAll("_"," ")} />`}
          <p class="quiet small">${t("prices.paid")}</p>
          <${Pa} book=${a} />
          <${O} form=${c} name="note" label=${t("notes")} maxlength="500" />
        <//>
        ${!!e&&!!r[0]?.rows.length&&n`<${La} of=${e} name=${$} reload=${i} />`}
      </section>
    </div>`}var Yt=({name:e,period:{count:s,unit:o}})=>_e({name:e,period:`${s} ${o}${s>1?"s":""}`}),bt=(e,s)=>e&&s?K(e)===K(s):e===s;function Da({was:e,amount:s}){if(bt(e,s))return n`<span class="quiet">${t("prices.same")}</span>`;if(!e||!s)return t(e?"prices.left-out":"prices.added");let o=K(s)>K(e),a=o?Ot(s,e):Ot(e,s);return n`<${h} name=${o?"arrow-up":"arrow-down"} /><span class="hush">${t(o?"prices.up":"prices.down")}</span> ${B(a)} <span class="quiet">(${fs(Number((K(a)*100n+K(e)/2n)/K(e)))})</span>`}function Ea({row:{plan:e,was:s,amount:o,wrong:a},form:r,reload:i}){let l="p"+e.id,$=Yt(e);return n`<tr class=${a||!bt(s,o)?"is-changed":""} data-plan=${e.id}>
    <th scope="row">${$}${e.packages&&n`<span class="quiet small">${St(e.packages)}</span>`}</th>
    <td class="for">${t("period."+e.period.unit,{n:e.period.count})}</td><td class="num con">${L(e.connections)}</td>
    <td class="num was" translate=${!1}>${s?B(s):"—"}</td>
    <td class="new"><input class="input" name=${l} inputmode="decimal" maxlength="24" aria-label=${t("prices.new-of",{plan:$})} aria-invalid=${a?"true":void 0} value=${r.fields[l]??B(s)}
      disabled=${r.frozen} onInput=${c=>r.set({[l]:c.target.value})} /></td>
    <td class="num diff">${a||n`<${Da} was=${s} amount=${o} />`}</td>
    <td class="on"><${Ra} plan=${e} reload=${i} /></td></tr>`}function Ra({plan:e,reload:s}){let{id:o,on_sale:a,on_sale_changes_at:r}=e,i=Yt(e),l=S({name:`sale ${o} ${!a}`,method:"PATCH",path:"/plans/"+o,title:i,fields:{}});return C(l,()=>{H(k(t(a?"plan.off":"plan.on",{plan:i}))),s()}),l.state==="unknown"?n`<${se} form=${l} />`:n`<button type="button" class=${a?"switch is-on":"switch"} role="switch" aria-checked=${a} aria-label=${t("plan.sells",{plan:i})} disabled=${l.frozen||!!r} onClick=${()=>l.send({on_sale:!a})}>
    <i></i>${t(a?"yes":"no")}</button>${l.problem&&n`<${D} problem=${l.problem} />`}`}function Pa({book:{reach:{resellers:e,lines:s,capped:o,other_books:a}}}){return n`<div class="whom"><h3>${t("prices.whom")}</h3>
    <p>${t("prices.serves",{n:e,resellers:Aa(e,o),lines:o?t("at-least",{n:ge(s)}):ge(s)})}</p>
    ${!!a.length&&n`<p class="quiet">${t("prices.not-for")}</p><ul>${a.map(r=>n`<li key=${r}><${Ia} id=${r} /></li>`)}</ul>`}</div>`}var Aa=(e,s)=>s?t("at-least",{n:L(e)}):L(e),Ia=({id:e})=>n`<${I} to=${"/prices?of="+e}>${he(e)||t("reseller.by-id",{id:e})}<//>`;function La({of:e,name:s,reload:o}){let a=S({name:"inherit "+e,method:"DELETE",path:`/users/${e}/prices`,title:t("prices.inherit"),fields:{}});return C(a,()=>{H(k(t("prices.inherits",{name:s}))),o()}),a.state==="unknown"?n`<${se} form=${a} />`:n`<button type="button" class="button wide" disabled=${a.frozen} onClick=${()=>a.send()}>${t("prices.inherit")}</button>${a.problem&&n`<${D} problem=${a.problem} />`}`}function ja({of:e,path:s,past:o,plans:a,reload:r}){if(!o.length)return null;let i=new Map(a.map($=>[$.id,Yt($)])),l=o.filter($=>Date.parse($.effective_at||"")<=P()||!$.effective_at).reduce(($,c)=>$&&Date.parse($.effective_at||"1970-01-01")>=Date.parse(c.effective_at||"1970-01-01")?$:c,null);return n`<section class="panel"><h2>${t("prices.versions")}</h2>
    <table class="table dense book-log"><thead><tr><th>${t("prices.version")}</th><th>${t("prices.in-force")}</th><th>${t("prices.changes")}</th><th><span class="hush">${t("actions")}</span></th></tr></thead>
    <tbody>${o.map(($,c)=>n`<tr key=${$.version} data-version=${$.version}><td>#${$.version}</td>
      <td class=${$===l?"":"quiet"}>${$===l&&n`<${h} name="check" />`}${$.effective_at?Pe($.effective_at):t("prices.first")}</td>
      <td>${Ma($,o[c+1],i)}${$.note&&n` <span class="quiet text">${$.note}</span>`}</td>
      <td>${Date.parse($.effective_at||"")>P()+6e4&&n`<${Na} of=${e} path=${s} version=${$} reload=${r} />`}</td></tr>`)}</tbody></table></section>`}function Ma(e,s,o){if(!e.rows.length)return t("prices.as-above");if(!s)return"—";let a=new Map(s.rows.map(l=>[l.plan,l.credits])),r=new Map(e.rows.map(l=>[l.plan,l.credits])),i=[...new Set([...a.keys(),...r.keys()])].filter(l=>!bt(a.get(l)||"",r.get(l)||"")).map(l=>{let $=a.get(l),c=r.get(l);return`${o.get(l)||l} ${$?B($):"—"} → ${c?B(c):"—"}`});return n`<span translate=${!1}>${i.length?St(i):t("prices.same")}</span>`}function Na({of:e,path:s,version:{version:o},reload:a}){let r=S({name:`cancel prices ${e} ${o}`,method:"DELETE",path:`${s}/versions/${o}`,title:t("prices.cancel"),fields:{}});return C(r,()=>{H(k(t("prices.cancelled",{version:o}))),a()}),r.state==="unknown"?n`<${se} form=${r} />`:n`<button type="button" class="button link" disabled=${r.frozen} onClick=${()=>r.send()}>${t("prices.cancel")}</button>${r.problem&&n`<${D} problem=${r.problem} />`}`}var Bn=({form:e,name:s,label:o,of:a})=>n`<div class="field"><span aria-hidden="true">${o}</span>
  <fieldset class="choice few short" disabled=${e.frozen}><legend class="hush">${o}</legend>${a.map(([r,i])=>n`<label key=${r}>
    <input type="radio" name=${s} value=${r} checked=${e.fields[s]===r} onChange=${()=>e.set({[s]:r})} /><span>${i}</span></label>`)}</fieldset></div>`;function Wa({sort:e,then:s}){let o=S({name:"plan",method:"POST",path:"/plans",title:t("plan.new"),fields:{name:"",count:"1",unit:"month",connections:"1",packages:""}}),{fields:a}=o;C(o,()=>{s(),b(k(t("plan.created",{plan:o.answer.name})))});let r=a.packages.split(/[\s,]+/).filter(Boolean);return n`<${J} title=${t("plan.new")} onClose=${()=>b()}>
    <${R} form=${o} submit=${t("reseller.create")} onClose=${()=>b()}
      onSubmit=${()=>o.send({name:a.name.trim(),period:{count:Number(a.count),unit:a.unit},connections:Number(a.connections),packages:r.length?r:null,sort:e})}>
      <${O} form=${o} name="name" label=${t("plan.name")} maxlength="64" autofocus required />
      <${Bn} form=${o} name="unit" label=${t("price.choose")} of=${["day","month"].map(i=>[i,t("plan.unit."+i)])} />
      <${O} form=${o} name="count" label=${t("plan.count")} type="number" min="1" max="3660" required />
      <${O} form=${o} name="connections" label=${t("plan.connections")} hint=${t("plan.connections-hint")} type="number" min="1" max="1000" required />
      <${O} form=${o} name="packages" label=${t("plan.packages")} hint=${t("plan.packages-hint")} maxlength="400" />
      <p class="quiet small">${t("plan.immutable")}</p>
    <//>
  <//>`}var Ba=5,za=200,Un=({username:e,whatsapp:s,notes:o,telegram:a,email:r,external_id:i},l)=>[e,s,o,a,r,i].find($=>mt($,l));function zn(e,s,o){let a=_(e&&o?e:null,{q:o,limit:Ba},($,c,m)=>V("GET",$,{query:c,signal:m}).then(d=>({...d,of:o}))),r=a.value,i=ee([]);r&&(i.current=r.data);let l=r?.of===s;return{rows:s?l?i.current:i.current.filter($=>Un($,s)):[],more:l&&r?.next_cursor!==null,settled:!e||!s||l||o===s&&!!a.problem,problem:s&&a.problem,reload:a.reload}}function Ua({places:e,close:s}){let{path:o,query:a}=A.use(),r=Fe(),i=ee(null),l=ee(!1),[$,c]=y(o==="/lines"&&a.get("q")||""),[m,d]=y(""),[p,f]=y(""),w=te($);z(()=>{let u=setTimeout(()=>d(w),za);return()=>clearTimeout(u)},[w]);let M=an("trial that was searched for",s),E=zn(x("lines:read")?"/lines":"",w,m),g=zn(U.seeResellers()?"/users":"",w,m),N=E.settled&&g.settled,ae=u=>({name:u.username,record:!0,hit:mt(u.username,w)?u.whatsapp:Un(u,w)||u.whatsapp}),qe=E.rows.length,Xt=g.rows.filter(({id:u})=>u!==v().id),Zt=({name:u})=>!w||!!mt(u,w),es=u=>u.map(([Q,ce,Jn])=>({key:Q,to:Q,icon:ce,name:Jn})).filter(Zt),ts=[[t("nav.lines"),E.rows.map(u=>({key:"line "+u.id,icon:"tv",to:"/lines/"+u.id,end:Ae(u.expDate),...ae(u)}))],[t("nav.resellers"),Xt.map(u=>({key:"user "+u.id,icon:"users",to:"/resellers/"+u.id,end:u.is_admin?"":t("balance-after",{amount:B(u.credits)}),...ae(u)}))],[t("actions"),[...x("lines:write")?[{key:"trial",icon:"plus",name:t("trial.new"),act:()=>M.send({})}].filter(Zt):[],...es([...U.createResellers()?[["/resellers?do=create","plus",t("reseller.new")]]:[],...x("manage")?[["/staff?do=create","plus",t("staff.new")],["/keys?do=create","plus",t("key.new")]]:[]]),...qe||E.more?[{key:"list",icon:"list-filter",to:"/lines?"+new URLSearchParams({q:w}),name:E.more?t("search.list"):t("search.list-n",{n:qe,count:L(qe)})}]:[]]],[t("search.places"),es(e)]].filter(([,u])=>u.length),Z=ts.flatMap(([,u])=>u),$e=Z.find(({key:u})=>u===p)||(w?Z[0]:void 0),wt=u=>u&&r+u.key.replace(/\W/g,"-"),yt=()=>document.getElementById(wt($e)||"");ns(()=>{let u=i.current,Q=u.querySelector("input");return u.showModal(),Q?.focus(),Q?.select(),()=>u.close()},[]),z(()=>yt()?.scrollIntoView({block:"nearest"}),[$e?.key]),z(()=>{!N||!l.current||(l.current=!1,yt()?.click())},[N]);let Qn=u=>{let Q={ArrowDown:1,ArrowUp:-1}[u.key];if(Q&&Z.length)f(Z.at(($e?Z.indexOf($e)+Q:Q>0?0:-1)%Z.length)?.key||"");else if(u.key==="Enter")N?yt()?.click():l.current=!0;else return;u.preventDefault()},kt=qe+Xt.length,vt=E.problem||g.problem,ss=!w||!N||vt?"":!kt&&(E.more||g.more)?t("list.paused"):t("search.results",{n:kt,count:L(kt)+(E.more||g.more?"+":"")});return n`<dialog class="palette" ref=${i} aria-label=${t("search")} onClose=${s} onKeyDown=${u=>u.stopPropagation()}
    onPointerDown=${u=>{xs(u)&&s()}}>
    <div class="palette-head"><${h} name="search" />
      <input type="text" role="combobox" aria-expanded=${Z.length>0} aria-controls=${r} aria-activedescendant=${wt($e)} aria-autocomplete="list" aria-label=${t("search")} value=${$}
        enterkeyhint="go" autocapitalize="none" autocomplete="off" spellcheck=${!1} maxlength="64" onKeyDown=${Qn}
        onInput=${u=>{c(u.target.value),f(""),l.current=!1}} />
      <kbd class="key desk" aria-hidden="true">Esc</kbd><button type="button" class="button ghost only thumb" aria-label=${t("close")} onClick=${s}><${h} name="x" /></button></div>
    ${Z.length>0&&n`<ul class="menu" role="listbox" id=${r} aria-label=${t("search")} aria-busy=${!N} onClick=${u=>{u.defaultPrevented&&u.target.closest("a")&&s()}}>
      ${ts.map(([u,Q])=>n`<li key=${u} role="group" aria-label=${u}><span class="menu-head" aria-hidden="true">${u}</span>
        ${Q.map(ce=>n`<${Ha} key=${ce.key} of=${ce} id=${wt(ce)} on=${ce===$e} by=${w} off=${M.frozen} />`)}</li>`)}</ul>`}
    ${vt&&n`<${D} problem=${vt} retry=${()=>{E.reload(),g.reload()}} />`}
    <${rn} form=${M} />
    ${!!ss&&!Z.length&&n`<p class="quiet none">${t("search.none")}</p>`}
    <footer><span class="desk"><kbd class="key">↑</kbd> <kbd class="key">↓</kbd> ${t("search.choose")}</span><span class="desk"><kbd class="key">Enter</kbd> ${t("search.open")}</span><span class="count" role="status">${ss}</span></footer>
  </dialog>`}function Ha({of:{icon:e,name:s,to:o,act:a,record:r,hit:i,end:l},id:$,on:c,by:m,off:d}){let p={id:$,role:"option",tabindex:-1,"aria-selected":c,class:c?"is-hover":""},f=n`<${h} name=${e} /><span class="clip" translate=${!r}><${At} text=${s} by=${m} />${i&&n` <span class="quiet"><${At} text=${i} by=${m} /></span>`}</span>
    ${l&&n`<span class="at desk">${l}</span>`}`;return o?n`<${I} to=${o} ...${p}>${f}<//>`:n`<button type="button" disabled=${d} onClick=${a} ...${p}>${f}</button>`}var gt=500,Kn=()=>`resellerd${De} reminded ${$s(v())}`,Gn=()=>new Date(P()).toDateString();function Hn(){let e=JSON.parse(as(Kn())||"{}");return e.day===Gn()?e.ids:[]}function Ka({ids:e,query:s={},onClose:o}){let a=gs(e?null:"/lines",{...s,limit:gt},gt),[r]=y(Hn),[i,l]=y([]),$=e||(a.value?.data||[]).slice(0,gt).map(({id:N})=>N),c=$.filter(N=>!r.includes(N)),m=(c.length?c:$).filter(N=>!i.includes(N)),[d]=m,p=$.length-m.length,f=$.length,w=_(d?`/lines/${d}`:null),M=!Ze().reading&&w.value?.id===d?w.value:null,E=()=>{if(os(Kn(),JSON.stringify({day:Gn(),ids:[...Hn(),d].slice(-4*gt)})),m.length>1)return l([...i,d]);o(),H(k(t("queue.done")))},g=e||a.value?w.problem:a.problem;return n`<${J} title=${f?t("queue.title",{n:f,count:L(f)}):t("queue")} about=${f?t("queue.at",{at:L(p+1),all:L(f)}):""} onClose=${o}>
    <svg class="left" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect class="all" width="100" height="4" /><rect class="run" width=${f?100*p/f:0} height="4" /></svg>
    ${g?n`<${D} problem=${g} retry=${e||a.value?w.reload:a.reload} />${d&&n`<button type="button" class="button link" onClick=${E}>${t("queue.skip")}</button>`}`:M?n`<${Ga} key=${d} line=${M} last=${m.length===1} next=${E} />`:a.value&&!f?n`<p>${t("lines.none-such")}</p>`:n`<${Me} />`}
  <//>`}function Ga({line:e,last:s,next:o}){let a=Fe(),[r,i]=y(null),l=ee(null),$=be(e.whatsapp,e.country),c=r??tt(ln(e),e);z(()=>l.current?.focus({preventScroll:!0}),[]);let m=d=>d.detail>1?d.preventDefault():setTimeout(o);return n`<div class="turn">
    <div><h3 id=${a} class="name" translate=${!1}>${e.username}</h3>
      <p class="quiet small">${Ae(e.expDate)} · ${$?ze($):n`<span class="soon">${e.whatsapp?t("queue.unsure",{number:e.whatsapp}):t("queue.no-number")}</span>`}</p></div>
    ${r===null?n`<p class="bubble text" translate=${!1} data-message>${c}</p>`:n`<textarea class="input" rows="8" maxlength="2000" aria-label=${t("queue.edit")} value=${r} onInput=${d=>i(d.target.value)}></textarea>`}
    <a class="button primary tall wide" ref=${l} href=${Ue($,c)} target="_blank" rel="noopener noreferrer" aria-describedby=${a} data-next onClick=${m}><${h} name="message-circle" />${t(s?"queue.last":"queue.next")}</a>
    <div class="rowed"><button type="button" class="button link" data-skip onClick=${o}>${t("queue.skip")}</button>
      ${r===null&&n`<button type="button" class="button link" onClick=${()=>i(c)}>${t("queue.edit")}</button>`}</div>
  </div>`}export{Io as Activity,Eo as Job,Do as Jobs,$a as Keys,Yn as Line,pa as Member,ka as Messages,ma as OneKey,Go as OneWebhook,Ua as Palette,Oa as Prices,Vn as Proof,Ka as Queue,bo as Reseller,na as Sessions,ca as Staff,Fo as Statement,jo as Webhooks};
//# sourceMappingURL=rare.js.map
