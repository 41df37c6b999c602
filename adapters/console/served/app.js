import{$ as Os,$a as Us,$b as Te,A as ws,Aa as Ce,Ac as vn,B as ge,Ba as tt,Bb as Zs,Bc as xn,C as Q,Ca as Z,Cb as rt,Cc as Ue,D as Ge,Da as st,Db as lt,Dc as Nt,E as S,Ea as T,Eb as en,Ec as Sn,F as ys,Fa as ne,Fc as Cn,G as Ie,Ga as Ls,Gc as _n,H as we,Ha as V,Hc as $t,I as t,Ia as As,Ib as tn,Ja as Lt,K as xe,Ka as Ne,L as x,La as Ds,M as $e,Ma as Ps,N as ks,Na as je,Nb as sn,O as ue,Oa as Is,Ob as nn,P as Rt,Pa as Ns,Q as vs,Qa as Be,R as xs,Ra as G,Rb as on,S as Ss,Sa as At,T as Cs,Ta as js,Tb as an,U as Et,Ua as ee,Ub as rn,V as b,Va as Bs,W as D,Wa as _e,X as de,Xa as Hs,Xb as ln,Ya as nt,Z as I,Za as J,Zb as cn,_ as _s,_a as Y,a as cs,aa as ae,ab as Ws,ac as mn,b as ms,ba as Fs,bb as Oe,c as y,ca as Xe,cb as Fe,cc as $n,d as B,da as qs,db as N,e as $s,eb as zs,ec as un,f as se,fc as it,g as us,ga as A,gb as Ks,gc as dn,h as ds,ha as Ts,hb as pe,hc as pn,i as n,ia as q,ib as Qs,ic as Dt,j as he,ja as Ze,jb as qe,jc as He,k as ie,ka as P,l as ce,la as O,m as be,ma as re,mc as Re,n as me,na as Rs,nb as Vs,o as ps,oa as et,oc as fn,p as fs,pa as Es,pc as hn,qa as le,qb as Js,qc as j,r as hs,ra as Mt,rc as Pt,sa as f,sc as ct,t as R,ta as L,tc as bn,u as ve,ua as U,ub as Ys,uc as gn,v as bs,va as Se,vb as Gs,vc as wn,w as K,wb as ot,wc as yn,x as M,xa as H,xb as at,xc as It,y as Ye,ya as W,yc as kn,z as gs,za as Ms,zb as Xs,zc as mt}from"./chunk.js";var Io=[10n,15n,16n,20n,25n,30n,40n,50n,60n,80n];function On(e){let s=e>0n?e:10000n;for(let o=1n;;o*=10n){let a=Io.find(r=>r*o*2n>=s);if(a)return[0n,a*o,a*o*2n]}}var We=(e,s)=>e>0n?Number(e*10000n/s)/100:0,Fn=(e,s)=>e.map((o,a)=>(a?"V":"M0 ")+(100-We(o,s))+"H"+(a+1)).join(""),qn=(e,s,o)=>Math.max(0,Math.min(o-1,Math.floor(e*o/s)));function Tn(e,s,o){let a={ArrowLeft:s-1,ArrowDown:s-1,ArrowRight:s+1,ArrowUp:s+1,Home:0,End:o-1}[e];return a===void 0?void 0:Math.max(0,Math.min(o-1,a))}var ut=e=>e.reduce((s,o)=>({trials:s.trials+o.trials,activations:s.activations+o.activations,extensions:s.extensions+o.extensions,spent:re(O(s.spent)+O(o.spent))}),{trials:0,activations:0,extensions:0,spent:"0"});function Rn(e,s){let[o,a]=[O(e),O(s)];return o<a*10n?Math.round(Number((o-a)*1000n/a)/10):void 0}var En=e=>e.filter(s=>s.day.slice(0,7)===e[e.length-1].day.slice(0,7));function dt(e,s,o){let a=s||o;return a&&O(e)<O(a)?a:""}var Ee=["10","20","50"],oe=he(null),Mn=e=>`resellerd${me} ${e} for ${$e(x())}`;function pt({then:e}){let s=oe.use(),o=a=>{oe.set(null),a&&e(a)};return $s(()=>()=>oe.set(null),[]),s&&n`<${jt} key=${s.name+s.reseller.id} ...${s} onClose=${o} />`}function jt({reseller:e,name:s,amount:o="",onClose:a}){let r=ue.use(),i=s==="topup",l=J({name:`${s} ${e.id}`,method:i?"PATCH":"POST",path:i?"/users/credits/"+e.id:`/users/${e.id}/credits/reclaim`,payer:e.id,title:t(`reseller.${s}-title`,{name:e.username}),fields:{credits:q(ce(Mn(s))||(i?Ee[0]:"")),notes:""}}),{fields:c,frozen:m}=l,$=Oe(c.credits),u=m?l.said().credits:$.wrong?"":$.amount;B(()=>{o&&l.set({credits:q(o)})},[]),Y(l,()=>{ie(Mn(s),u),a(N(t(`reseller.${s}-done`,{name:e.username,amount:P(u)}),{payer:e.id,key:l.key}))});let d=()=>{c.notes||l.cancel(),a()},p=i?r:e,g=!!u&&!!p&&!p.is_admin&&O(p.credits)<O(u),w=((k,E=i===(k===e))=>[n`<span class="name" translate=${!1}>${k.username}</span>`,ne("reseller.then",{now:q(k.credits),after:P(Rs(k.credits,E?"-"+u:u))})]);return n`<${Ks} look="side-panel top-up" title=${ne(`reseller.${s}-title`,{name:e.username})} onClose=${d}>
    <${V} form=${l} submit=${u?t(`reseller.${s}-amount`,{amount:P(u)}):t("reseller."+s)} unclear=${!!$.wrong}
      onSubmit=${()=>l.send({credits:u,notes:c.notes.trim()||null})}>
      <fieldset class="choice few short" disabled=${m}><legend class="hush">${t("amount")}</legend>
        ${Ee.map(k=>n`<label key=${k}><input type="radio" name="amount" value=${k} checked=${u===k} onChange=${()=>l.set({credits:k})} />
          <span translate=${!1}>${i?"+":"−"}${k}</span></label>`)}</fieldset>
      <${Fe} form=${l} typed=${$} label=${t("amount.other")} />
      <div class="becomes" aria-live="polite">
        ${u?m?n`<p>${ne("amount.sent",{amount:P(u)})}</p>`:g?n`<${U} tone="unsure"><p>${ne(i?"cost.short":"cost.short-of",{name:e.username,cost:P(u),now:q(p?.credits||"")})}</p><//>`:n`<${G} of=${[w(e),...r&&!r.is_admin&&r.id!==e.id?[w(r)]:[]]} />`:null}
      </div>
      <${T} form=${l} name="notes" label=${t("notes")} kind="textarea" rows="1" maxlength="2000" />
    <//>
  <//>`}var Bt=new Map,Ln=()=>Bt.clear(),ze=({is_admin:e,credits:s},o)=>e?"":dt(s,o,Ee[0]),Ht=e=>n`<${No} key=${e.id} reseller=${e} />`;function No({reseller:e}){let{id:s,username:o}=e,a=D.manage(e,"credits:move"),r=b("users:write"),i=pe(e.whatsapp,e.country),l=q(e.credits),c=t("reseller.whatsapp",{name:o}),m=($,u,d,p="")=>n`<${S} class=${p} to=${`/resellers/${s}?do=${$}`}><${f} name=${u} />${d}<//>`;return n`<tr data-id=${s}>
    <th scope="row" class="name"><span class="named"><${S} class="clip" to=${"/resellers/"+s} title=${o} translate=${!1} data-row>${o}<//>${!!(e.is_master||e.is_admin)&&n`<span class="badge">${t("role."+(e.is_admin?"admin":"master"))}</span>`}</span></th>
    <td class="num bal" translate=${!1}>${!e.is_admin&&n`<b>${l}</b><span class="unit">${P(e.credits).replace(l,"")}</span>`}</td>
    <td class="sit"><${Ut} reseller=${e} /></td>
    <td class="last clip quiet" title=${I(e.recharge)}>${!e.is_admin&&ae(e.recharge)}</td>
    <td class="tel clip">${e.whatsapp}</td>
    <td class="notes clip quiet" title=${e.notes}>${e.notes}</td>
    <td class="does"><span>
      ${a&&n`<button type="button" class="button row-act" aria-haspopup="dialog" aria-label=${t("reseller.topup-title",{name:o})} onClick=${()=>oe.set({reseller:e,name:"topup"})}>${t("reseller.topup")}</button>`}
      ${i?n`<a class="button ghost only" href=${qe(i,"")} target="_blank" rel="noopener noreferrer" aria-label=${c} title=${c}><${f} name="message-circle" /></a>`:n`<i></i>`}
      ${(a||r)&&n`<${ee} label=${t("more-about",{name:o})}>
        ${r&&m("contact","pencil",t("reseller.contact"))}
        ${a&&n`<button type="button" onClick=${()=>oe.set({reseller:e,name:"reclaim"})}><${f} name="coins" />${t("reseller.reclaim")}</button>`}
        ${b("lines:read")&&n`<${S} to=${"/lines?owner="+s}><${f} name="tv" />${t("nav.lines")}<//>`}
        ${D.manage(e,"users:write")&&n`<hr />${e.block_reseller?m("unblock","lock-open",t("reseller.unblock")):m("block","lock",t("reseller.block")+"…","bad")}`}<//>`}
    </span></td>
  </tr>`}function Ut({reseller:e,badge:s}){let o=e.active_tree?e.is_admin?"":O(e.credits)?ze(e)&&"low":"empty":e.block_reseller?"blocked":"blocked-above";if(!o)return null;let a=t("reseller."+o),r=t(`reseller.${o}-brief`);return n`<${Se} of=${o} tone=${o==="low"?"warn":"bad"} icon=${o==="low"?"trending-down":o==="empty"?"circle-alert":"lock"} badge=${s}>${s?a:n`<span class="long">${o==="blocked-above"?r:a}</span><span class="brief">${r}</span>`}<//>`}function An({master:e}){let s=String(e),[o,a]=y(()=>Bt.get(s)||{rows:[],next:""}),[r,i]=y(null),[l,c]=y(!0),m=async(d,p)=>{c(!0),i(null);try{let g=Math.min(500,Math.max(50,o.rows.length-d.length)),{data:w,next_cursor:k}=await hs("/users",{master:e,limit:g,cursor:p},1),E={rows:[...d,...w],next:k};Bt.set(s,E),a(E)}catch(g){i(g)}c(!1)};B(()=>{m([],"")},[e]);let{rows:$,next:u}=o;return n`<div class="branch" aria-busy=${l}>
    ${$.length>0&&n`<table class="table resellers few"><tbody>${$.map(Ht)}</tbody></table>`}
    ${r?n`<${H} problem=${r} retry=${()=>m($,u||"")} />`:u===""&&l?n`<p class="quiet">${t("list.loading")}</p>`:u?n`<button type="button" class="button wide" disabled=${l} onClick=${()=>m($,u)}>${t("tree.more")}</button>`:!$.length&&n`<p class="quiet">${t("tree.none")}</p>`}
  </div>`}var Ke=e=>W(e===null||!b("users:read")?null:`/users/${e}/alerts`);function ft({account:{id:e,username:s},alerts:o,changed:a}){let r=t("alert.title",{name:s}),i=J({name:"alert "+e,method:"PUT",path:`/users/${e}/alerts`,title:r,fields:{credits:o.balance_low?q(o.balance_low):""}}),l=Oe(i.fields.credits);return Y(i,()=>{let c=i.answer.balance_low;a?.(i.answer),M(N(c?t("alert.set",{name:s,amount:P(c)}):t("alert.unset",{name:s})))}),n`<section class="panel"><h2>${r}</h2>
    <${V} form=${i} submit=${t("save")} unclear=${!!l.wrong} onSubmit=${()=>i.send({balance_low:l.amount||null})} onClose=${()=>M()}>
      <p>${t("alert.meaning")}</p>
      <${Fe} form=${i} typed=${l} label=${t("alert.field")} hint=${t("alert.hint")} required=${!1} />
    <//>
  </section>`}var ht=e=>/^(?:@|(?:https?:\/\/)?(?:t\.me|telegram\.me)\/)?([a-z]\w{3,31})\/?$/i.exec((e||"").trim())?.[1]||"",bt=(e,s)=>(e?`https://t.me/${e}?text=`:"https://t.me/share/url?url=")+encodeURIComponent(s);function Dn({whatsapp:e,telegram:s},o){let a=pe(e||null,""),r=a?"":ht(s||null);return r?bt(r,o):qe(a,o)}function Wt({title:e,day:s,points:o,today:a,bars:r=!1,choice:i,sum:l}){let[c,m]=y(-1),[$,u]=y(!1),d=ds(),p=o||[],g=Math.max(1,p.length),w=p.length-1,k=c>=0&&c<=w,E=k?c:w,v=E<0?"":t("chart.value",{time:p[E].name,amount:(r?P:q)(re(p[E].value))}),C=k&&v,h=On(p.reduce((_,{value:X})=>X>_?X:_,0n)),F=h[2],z=!r&&p.length?Fn(p.map(_=>_.value),F):"",te=_=>{let{left:X,width:Tt}=_.currentTarget.getBoundingClientRect();m(qn(_.clientX-X,Tt,p.length))},qt=_=>{_.pointerType==="mouse"&&m(-1)},Po=_=>{let X=Tn(_.key,E,p.length);X!==void 0&&(_.preventDefault(),m(X))},is=n`<button type="button" class="button link" onClick=${()=>u(!$)}><${f} name="table-2" />${t($?"chart.no-table":"chart.table")}</button>`;return n`<figure class=${`panel plot ${r?"bars":"flat"} ${k?"is-chosen":""}`}>
    <header><h2 id=${d}>${e}</h2>${i||n`${C&&n`<span class="quiet">${C}</span>`}${is}`}</header>
    ${i&&n`<p class="sum">${C||l||" "}</p>`}
    <div class="scale" aria-hidden="true">${o&&[...h].reverse().map(_=>n`<span key=${_}>${q(re(_))}</span>`)}</div>
    <div class="area" ...${w>=0?{role:"slider",tabIndex:0,"aria-labelledby":d,"aria-valuemin":1,"aria-valuemax":p.length,"aria-valuenow":E+1,"aria-valuetext":v,onPointerMove:te,onPointerDown:te,onPointerLeave:qt,onKeyDown:Po,onFocus:()=>m(_=>_<0?w:_)}:{}}>
      <svg class="chart" viewBox="0 0 ${g} 100" preserveAspectRatio="none" aria-hidden="true">
        <path class="grid" d=${h.slice(1).map(_=>`M0 ${100-We(_,F)}H${g}`).join("")} />
        ${r&&p.map(({key:_,value:X},Tt)=>X>0n&&n`<rect key=${_} class="bar" x=${Tt+.16} width="0.68" y=${100-We(X,F)} height=${We(X,F)} />`)}
        ${z&&n`<path class="under" d=${z+"V100H0Z"} /><path class="run" d=${z} />`}
        ${k&&n`<path class="chosen" d="M${E+.5} 0V100" />`}
        <path class="axis" d="M0 100H${g}" />
      </svg>
    </div>
    <div class="ends" aria-hidden="true">${w<0?" ":[...new Set([0,w>>1,w])].map(_=>n`<span key=${_}>${a&&_===w?t("chart.today"):p[_].name}</span>`)}</div>
    ${i&&is}
    ${$&&n`<table class="table dense" aria-labelledby=${d}><thead><tr><th scope="col">${s}</th><th scope="col" class="num">${t("amount")}</th></tr></thead>
      <tbody>${p.map(_=>n`<tr key=${_.key}><th scope="row">${_.name}</th><td class="num">${q(re(_.value))}</td></tr>`)}</tbody></table>`}
  </figure>`}var Pn=({days:e})=>n`<${Wt} title=${t("chart.balance")} day=${t("chart.day")} today=${!!e?.length&&!Xe(e[e.length-1].day)}
  points=${e&&e.map(({day:s,balance:o})=>({key:+s,name:ae(s),value:O(o)}))} />`;var In=[7,30,90];function Nn(){let[e,s]=y(30),o=W(b("lines:read")?"/reports/summary":null,{days:2*Math.max(e,30),tree:D.haveBelow()?x().id:void 0}),a=se(o.value);return a.current=o.value||a.current,{...o,value:a.current,span:e,choose:s}}var jo=["extensions","activations","trials"],Bo=[["running","/lines?status=running&show=official"],["trials","/lines?status=running&show=trials"],["expiring_7d","/lines?when=soon&show=official"],["expired_14d","/lines?when=past&show=official"]];function jn({of:{value:e,problem:s,reload:o}}){let a=e?.lines,r=e&&ut(e.days.slice(-1)),i=e&&ut(En(e.days)),l=(c,m,$)=>n`<div class="tile" data-figure=${c}>
    <dt>${t("figures."+c)}</dt><dd class="figure" translate=${!1}>${m??" "}</dd><dd class="quiet">${$===null?" ":t("figures.this-month",{amount:$})}</dd></div>`;return n`<section class="panel numbers"><h2>${t("figures")}</h2>
    ${s&&n`<${H} problem=${s} retry=${o} />`}
    <dl class="tiles">
      ${jo.map(c=>l(c,r&&A(r[c]),i&&A(i[c])))}
      ${l("spent",r&&q(r.spent),i&&q(i.spent))}
    </dl>
    <ul class="tiles">${Bo.map(([c,m])=>n`<li key=${c}><${S} class="tile" to=${m} data-count=${c}>
      <span class="figure">${a?A(a[c])+(a.capped?"+":""):" "}</span><span>${t(c==="trials"?"figures.running-trials":"figures."+c)}</span><//></li>`)}</ul>
  </section>`}function Bn({of:{value:e,span:s,choose:o}}){let a=e&&e.days.length>=2*s?e.days.slice(-2*s):null,r=a&&a.slice(s),[i,l]=[r,a&&a.slice(0,s)].map(m=>m&&ut(m).spent),c=n`<div class="seg small" role="group" aria-label=${t("statement.period")}>
    ${In.map(m=>n`<button key=${m} type="button" aria-pressed=${m===s} onClick=${()=>o(m)}>${m===In[2]?t("figures.days",{days:m}):m}</button>`)}</div>`;return n`<${Wt} bars title=${t("figures.spent")} day=${t("figures.day")} today choice=${c}
    points=${r&&r.map(m=>({key:m.day,name:ae(m.day,"UTC"),value:O(m.spent)}))}
    sum=${i&&l&&(i==="0"?t("figures.spent-none"):n`<span><b translate=${!1}>${q(i)}</b> <span class="quiet">${t("figures.in-days",{days:s})}</span></span><${Ho} of=${Rn(i,l)} />`)} />`}var Ho=({of:e})=>e!==void 0&&n`<span class="quiet">${!!e&&n`<${f} name=${e<0?"trending-down":"trending-up"} />`}${t("figures."+(e?e<0?"less":"more":"same"),{percent:Ts(Math.abs(e))})}</span>`;var gt=(e,s)=>n`<${Uo} key=${e.id} line=${e} filter=${s} />`;function Uo({line:e,filter:s}){let o=ct.use()[e.id],a=Pt.use()===e.id,r=o&&o.updatedAt>e.updatedAt?{...e,...o}:e,[i,l]=y(""),[c,m,$]=xn(s,e.id),{id:u,username:d,expDate:p,isTrial:g,effective:w,status:k}=r,E=!!k&&w!=="suspended"&&w!=="owner_blocked",v=E&&!g&&Xe(p)<=2,C=s&&R.get().query.get("q")||"",h=Dt(d,C)?null:[r.whatsapp,r.notes].find(z=>Dt(z,C)),F=Wo(()=>{s&&!c&&$()});return n`<tr class=${[c&&"is-picked",E&&!g&&"is-active",!k&&!g&&"is-expired"].filter(Boolean).join(" ")} data-id=${u} ...${s?F:{}}>
    ${s&&n`<td class="pick"><label class="hit"><input type="checkbox" checked=${c} disabled=${m} onChange=${$} aria-label=${t("select.line",{name:d})} /></label></td>`}
    <th scope="row" class="name clip"><${S} to=${"/lines/"+u} title=${d} translate=${!1} data-row><${He} text=${d} by=${C} /><//></th>
    <td class="st"><${je} line=${r} /></td>
    <td class="expiry clip">${!i&&n`<span title=${I(p)}>${ae(p)}</span> <span class=${v?"rel soon":"rel"}>${qs(p)}</span>`}<span class="told" role="status">${i&&n`<${f} name="check" />${i}`}</span>${h&&n`<span class="hit-in"><${He} text=${h} by=${C} /></span>`}</td>
    <td class="phone clip"><${He} text=${r.whatsapp} by=${C} /></td>
    <td class="notes clip quiet">${r.owner!==x().id&&n`<${zo} id=${r.owner} />`}${r.notes&&n`<span class="note-text"><${He} text=${r.notes} by=${C} /></span>`}</td>
    <td class="does"><span>
      ${b("lines:spend")&&(g?n`<${S} class="button row-act" to=${`/lines/${u}?do=activate`} aria-label=${t("line.activate-title",{name:d})}>${t("line.activate")}<//>`:n`<button type="button" class="button row-act" data-renew aria-haspopup="dialog" aria-label=${t("line.extend-title",{name:d})}
          onClick=${()=>{l(""),Pt.set(u)}}>${t("line.extend")}</button>`)}
      <${fn} line=${r} />
      ${b("lines:write")&&n`<${ee} label=${t("more-about",{name:d})}>
        <${S} to=${`/lines/${u}?do=${g?"describe":"edit"}`}><${f} name="pencil" />${t("line.edit")}<//>
        <${S} to=${`/lines/${u}?do=${r.suspended?"resume":"suspend"}`}><${f} name=${r.suspended?"play":"circle-pause"} />${t(r.suspended?"line.resume":"line.suspend")}<//>
        ${b("lines:delete")&&n`<hr /><${S} class="bad" to=${`/lines/${u}?do=delete`}><${f} name="trash-2" />${t("line.delete")}…<//>`}<//>`}
      ${a&&!g&&n`<${yn} line=${r} then=${z=>{z&&l(t("line.renewed",{until:ae(z)}))}} />`}
    </span></td>
  </tr>`}function Wo(e){let s=se({timer:0,touch:!1,done:!1}),o=()=>clearTimeout(s.current.timer),a=()=>{o(),s.current.done||e(),s.current.done=!0};return{onPointerDown:r=>{let i=r.pointerType==="touch";s.current={touch:i,done:!1,timer:i?setTimeout(a,500):0}},onContextMenu:r=>{s.current.touch&&(r.preventDefault(),a())},onPointerUp:o,onPointerCancel:o,onPointerMove:o,onClickCapture:r=>{s.current.done&&(s.current.done=!1,r.preventDefault(),r.stopPropagation())}}}function zo({id:e}){let s=nt(e);return n`<span class="owner">${s?t("line.owner-name",{name:s}):t("line.owner-id",{id:e})}</span>`}var zt=()=>n`<tr><th scope="col" class="d">${t("statement.date")}</th><th scope="col">${t("statement.what")}</th><th scope="col" class="who">${t("statement.who")}</th>
  <th scope="col" class="num">${t("statement.amount")}</th><th scope="col" class="num bal">${t("statement.balance")}</th></tr>`;function wt(e){let s=Number(e.counterparty),o=e.line_username||e.counterparty_username,a=t("kind."+e.kind),r=e.line&&b("lines:read")?"/lines/"+e.line:s>0&&s!==x().id&&D.seeResellers()?"/resellers/"+s:"",i=r?n`<${S} to=${r} title=${o} translate=${!o} data-row>${o||a}<//>`:o?n`<b translate=${!1}>${o}</b>`:a,l=ne("balance-after",{amount:q(e.balance)}).map(c=>c&&typeof c=="string"?n`<span class="word">${c}</span>`:c);return n`<tr key=${e.id} data-id=${e.id}>
    <td class="d"><time datetime=${e.at} title=${I(e.at)}>${Fs(e.at)}</time></td>
    <td class="what clip">${o?n`${a} ${i}`:i}${e.notes&&n` <span class="quiet" title=${e.notes}>${e.notes}</span>`}</td>
    <td class="who quiet clip" translate=${!1}>${e.actor_name===ks()?t("statement.you"):e.actor_name||t("statement.above")}</td>
    <td class="num amount ${e.amount.startsWith("-")?"out":"in"}" translate=${!1}>${Ze(e.amount)}</td>
    <td class="num bal quiet">${l}</td></tr>`}var Hn=({of:e})=>n`<section class="panel">
  <header><h2>${t("home.movements")}</h2><${S} class="button link" to="/statement">${t("home.all")}<//></header>
  <${Z} of=${e}>${({data:s,next_cursor:o})=>s.length?n`<table class="table dense ledger" aria-label=${t("home.movements")}><tbody>${s.slice(0,5).map(wt)}</tbody></table>`:n`<p class="quiet">${o?t("home.unsure"):t("home.movements-none")}</p>`}<//>
</section>`;var Un=()=>`resellerd${me} started ${$e(x())}`;function Wn(e){let{messages:s,reading:o}=Te(),[a,r]=y(()=>!!ce(Un())),l=!x().is_admin&&["lines:read","lines:write","lines:spend","users:write"].every(b)&&!a&&!!e&&!e.lines.running&&!e.lines.expired_14d&&!e.days.some(u=>u.activations||u.extensions),c=Ce(l?"/lines":null,{isTrial:0,limit:1},1),m=mn("server",s),$=!!e&&(e.lines.trials>0||e.days.some(u=>u.trials>0));return{reading:o,known:!l||!o&&!!(c.value||c.problem),takes:l&&c.value?.data.length===0,server:m,tried:$,at:m?$?2:1:0,leave:()=>{ie(Un(),"yes"),r(!0)}}}function zn({of:{server:e,tried:s,at:o,leave:a}}){let r=it().prices?.find(m=>m.period==="1 month"),i=[!!e,s,!1],l="/lines?show=trials",c=(m,$,u,d)=>{let p=["server","trial","customer"].indexOf(m),g=t("start."+m);return n`<li class=${i[p]?"is-done":p===o?"is-now":""} aria-current=${p===o?"step":void 0} data-step=${m}>
      <span class="step" aria-hidden="true">${i[p]?n`<${f} name="check" />`:p+1}</span>
      <div><h2>${g}${i[p]&&n`<span class="hush"> ${t("start.done")}</span>`}</h2><p class="quiet text">${$}</p>${p===o&&d}</div>
      ${i[p]&&n`<${S} class="button ghost only" to=${u} aria-label=${t("start.change",{step:g})} title=${t("start.change",{step:g})}><${f} name="pencil" /><//>`}</li>`};return n`<section class="panel first-steps"><ol class="steps">
      ${c("server",e||t("start.server-why"),"/messages",n`<${S} class="button primary" to="/messages">${t("start.server-do")}<//>`)}
      ${c("trial",t("start.trial-why"),l,n`<${Re} />`)}
      ${c("customer",r?t("start.customer-costs",{cost:P(r.credits)}):t("start.customer-why"),"/lines",n`<${S} class="button primary" to=${l}>${t("start.customer-do")}<//>`)}
    </ol><p class="foot"><span>${t("start.at",{done:i.filter(Boolean).length,all:i.length})}</span><button type="button" class="button link" data-later onClick=${a}>${t("start.later")}</button></p></section>`}var Ko=24*36e5,Qo=j("Queue",!0),Qe=7,Vo=["trial_created","activated","extended","suspended","resumed","deleted","imported"].map(e=>"line."+e).concat("bulk.*","reseller.*","balance.*","webhook.disabled","operator.*"),yt=()=>!x().is_admin&&b("users:write");function Kn(){let e=R.use().query.get("do"),s=Ye("picked");return e==="extend"&&s&&b("lines:spend")?n`<${$t} action="extend" picked=${s} said=${[t("filter.says-soon",{n:7})]} up="/" />`:e==="alert"&&yt()?n`<${Jo} />`:n`<${Yo} />`}function Jo(){let e=Ke(x().id);return n`<${L} title=${t("nav.home")} up="/"><${Z} of=${e}>${s=>n`<${ft} account=${x()} alerts=${s} />`}<//><//>`}function Yo(){let e=!!x().is_admin,s=b("lines:read"),o=b("events:read"),a=!o&&b("ledger:read"),[r]=y(be),i=te=>new Date(r+te*Ko).toISOString(),l=Nn(),c={isTrial:0,effective:"running",expires_after:i(0),expires_before:i(7)},m={isTrial:0,effective:"expired",expires_after:i(-14),sort:"latest_expiry"},$=Ce(s?"/lines":null,{...c,limit:Qe},Qe),u=Ce(s?"/lines":null,{...m,limit:Qe},Qe),d=Ce(o?"/events":a?`/users/${x().id}/ledger`:null,o?{limit:5,order:"desc",type:Vo}:{limit:5},5),p=W(b("manage")?"/webhooks":null),g=Wn(l.value),{takes:w}=g,[k,E]=y(null),v=se(!1);v.current||=[s&&$,s&&u,s&&l,(o||a)&&d,b("manage")&&p].every(te=>!te||te.value||te.problem)&&g.known&&(!yt()||!g.reading);let C=l.value?.lines.expiring_7d||0,h=l.value?.lines.expired_14d||0,F=s&&C>0&&b("lines:spend"),z=(te,qt)=>n`<button type="button" class="button" data-queue onClick=${()=>E(te)}><${f} name="message-circle" />${qt}</button>`;return n`<${L} title=${t(w?"start":"nav.home")} actions=${b("lines:write")&&!(w&&g.at===1)&&n`<${Re} plain=${F||w} />`}>
    ${v.current?n`<${ea} of=${p.value?.data} /><div class="cols">
      ${w?n`<div class="stack"><${zn} of=${g} /></div>`:s&&n`<div class="stack">
        <${Kt} title=${C?t("home.soon-n",{n:C,count:A(C)}):t("home.soon")} icon="calendar-clock" of=${$} lines none=${t("home.soon-none")} all="/lines?when=soon&show=official" n=${C}
          actions=${C>0&&n`${F&&n`<button type="button" class="button primary" onClick=${()=>K("extend",{picked:{filter:c}})}>${t("home.renew",{n:C,count:A(C)})}</button>`}
            ${z(c,t("home.remind",{n:C,count:A(C)}))}`} />
        <${Kt} title=${h?t("home.past-n",{n:h,count:A(h)}):t("home.past")} icon="user-round-x" of=${u} lines none=${t("home.past-none")} all="/lines?when=past&show=official" n=${h}
          actions=${h>0&&z(m,t("home.win-back"))} />
        <${jn} of=${l} />
      </div>`}
      <div class="stack">
        ${e?n`${b("ledger:read")&&n`<${un} />`}<${Zo} />`:n`<${Go} lines=${l.value?.lines} />`}
        ${s&&!w&&n`<${Bn} of=${l} />`}
        ${o?n`<${Kt} title=${t("home.activity")} of=${d} row=${Gs} none=${t("activity.none")} all="/activity" />`:a&&n`<${Hn} of=${d} />`}
      </div>
    </div>`:n`<${st} />`}
    ${k&&n`<${Qo} query=${k} onClose=${()=>E(null)} />`}
  <//>`}function Go({lines:e}){let s=ue.use(),o=Ss.use(),a=Ke(x().id),{prices:r}=it(),i=r?.find(u=>u.period==="1 month"),l=a.value?.balance_low,c=s&&(a.value||a.problem||!b("users:read"))?dt(s.credits,l,i?.credits):"",m=s&&i?O(s.credits)/O(i.credits):0n,$=l?t("alert.is",{amount:q(l)}):t(a.value?"alert.new":"alert");return n`<section class="panel own">
    <header><h2>${t("home.balance")}</h2>${yt()&&n`<button type="button" class="button ghost only" aria-label=${$} title=${$} data-alert onClick=${()=>K("alert")}><${f} name="bell" /></button>`}</header>
    <div class="balance-row"><${Ps} of=${s} />${yt()&&n`<${Xo} balance=${s?.credits} lines=${e} low=${!!c} />`}</div>
    ${!s&&o&&n`<${H} problem=${o} retry=${Cs} />`}
    <p class="stock">${c?n`<span data-low=${c}><${Se} tone="warn" icon="circle-alert">${t("home.low",{amount:q(c)})}<//></span>`:i&&m>0n?n`<span class="quiet">${t("home.enough",{n:Number(m),count:A(m),period:dn(i.period)})}</span>`:" "}</p>
  </section>`}function Xo({balance:e="0",lines:s,low:o}){let{staff:a,username:r}=x(),i=Te().messages?.inherited||{},l=s?.expiring_7d||0,c=t(l?"ask.message-soon":"ask.message",{n:l,count:A(l),name:a?t("acts-for",{name:a.username,account:r}):r,balance:P(e)});return n`<div class=${o?"ask urgent":"ask"}><a class="button" href=${Dn(i,c)} target="_blank" rel="noopener noreferrer"><${f} name="hand-coins" />${t("ask")}</a>
    ${!i.whatsapp&&!i.telegram&&n`<${Be} text=${c} label=${t("ask.copy")} />`}</div>`}function Zo(){let{value:e,problem:s}=W("/service");return s?null:n`<section class="panel service"><h2>${t("home.service")}</h2>
    <${G} of=${[[t("home.version"),e?e.version:" "],[t("home.store"),e?e.store:" "],[t("home.started"),e?I(e.started_at):" "],[t("home.backup"),e?e.last_backup_at&&I(e.last_backup_at):" "]]} /></section>`}function ea({of:e=[]}){let s=e.filter(o=>!o.enabled&&o.disabled_reason!=="requested");return s.length>0&&n`<${U} tone="unsure"><p><strong>${t("home.still",{n:s.length})}</strong></p>
    ${s.map(o=>n`<p key=${o.id}><${S} to=${"/webhooks/"+o.id}>${en(o)}<//> ${tn(o)[0]}</p>`)}<//>`}function Kt({title:e,icon:s="",of:o,row:a,lines:r=!1,none:i,all:l,n:c=0,actions:m}){let $=o.value?.next_cursor||!r&&o.value?.data.length?"all":o.value?.data.length>3?"all thumb":"";return n`<section class=${r?"panel task":"panel"}><header><h2>${s&&n`<${f} name=${s} />`}${e}</h2>${m&&n`<div class="buttons">${m}</div>`}</header>
    <${Z} of=${o}>${({data:u,next_cursor:d})=>n`
      ${u.length?r?n`<table class="table customers few"><tbody>${u.slice(0,Qe).map(p=>gt(p))}</tbody></table>`:n`<ul class="rows">${u.slice(0,5).map(p=>n`<li key=${p.id}>${a?.(p)}</li>`)}</ul>`:n`<p class="quiet">${d?t("home.unsure"):i}</p>`}
      ${$&&n`<p class=${$}><${S} to=${l}>${c?t("home.all-n",{n:c,count:A(c)}):t("home.all")}<//></p>`}`}<//>
  </section>`}var Qt=["running","expired","suspended","owner_blocked"],ta=["newest","expiry","latest_expiry","username"],Qn=["q","username","mine","owner","tree","show","status","when"],ye={soon:["expiring_7d",{when:"soon",show:"official",status:""}],past:["expired_14d",{when:"past",show:"official",status:""}],running:["running",{when:"",show:"official",status:"running"}],trials:["trials",{when:"",show:"trials",status:"running"}]},Vn=e=>e.get("days")?"":Object.keys(ye).find(s=>Object.entries(ye[s][1]).every(([o,a])=>(o==="status"?Me(e):e.get(o)||"")===a))||"",kt=e=>Number(/^([1-9]|1[0-4])$/.exec(e.get("days")||"")?.[0]||7),Me=e=>Qt.find((s,o)=>[s,String(1-o)].includes(e.get("status")||""))||"";function Jn(e,s,o){let a=e.get("when"),r=e.get("show"),i=Me(e),l=c=>new Date(s+c*864e5).toISOString();return{q:e.get("q"),username:e.get("username"),owner:e.get("mine")?o:e.get("owner"),tree:e.get("tree"),isTrial:r==="trials"?"1":r==="official"?"0":void 0,effective:i||(a==="soon"?"running":a==="past"?"expired":void 0),expires_after:a==="soon"?l(0):a==="past"?l(-14):void 0,expires_before:a==="soon"?l(kt(e)):a==="past"&&i&&i!=="expired"?l(0):void 0}}function Vt(e){let s=e.get("when"),o=Me(e);return s==="past"||o==="expired"?"latest_expiry":s==="soon"||o?"expiry":"newest"}var Jt=e=>ta.find(s=>s===e.get("sort"))||Vt(e);function Yn(e,s){let o=Jt(e);return o===(s.effective||s.expires_after||s.expires_before?"expiry":"id")?void 0:o}function Gn(e,s,o){let a=e.get("mine")?String(s):e.get("owner");return a?{account:a}:{tree:e.get("tree")||(o?String(s):void 0)}}function Xn(e){let s=i=>e.get(i)||"",o=Me(e),a=s("show"),r=s("when");return[{name:"q",key:s("q")&&"filter.text",values:{text:s("q")}},{name:"username",key:s("username")&&"filter.begins",values:{text:s("username")}},{name:"status",key:o&&"filter."+o},{name:"show",key:/^(trials|official)$/.test(a)?"filter."+a:""},{name:"when",key:/^(soon|past)$/.test(r)?"filter.says-"+r:"",values:{n:kt(e)}},{name:"mine",key:s("mine")&&"filter.mine"},...["owner","tree"].map(i=>({name:i,key:s(i)&&"reseller.by-id",values:{id:s(i)}}))].filter(({key:i})=>i)}var Zn=({name:e,label:s,value:o,of:a,choose:r,always:i})=>n`<p class="menu-head">${s}</p>
  ${[...i?[]:[["",t("filter.any")]],...a].map(([l,c])=>n`<button key=${l} type="button" aria-pressed=${o===l} data-filter=${e} data-value=${l} onClick=${()=>r(l)}>
    <${f} name=${o===l?"check":""} />${c}</button>`)}`;function eo(e){let{name:s,label:o,value:a,of:r,choose:i}=e,l=r.find(([c])=>c===a)?.[1];return n`<span class="filter-of" data-of=${s}>
    <${ee} label=${l?`${o}: ${l}`:o} look=${l?"filter is-set":"filter"} face=${n`${l?n`<span class="what">${o}:</span> ${l}`:o}${!l&&n`<${f} name="chevron-down" />`}`}><${Zn} ...${e} /><//>
    ${l&&n`<button type="button" class="filter-x" aria-label=${t("filter.remove",{filter:l})} onClick=${()=>i("")}><${f} name="x" /></button>`}
  </span>`}var vt=({of:e,children:s})=>n`<span class="filters-all"><${ee} label=${t("filter.more")} look="chip" face=${n`<${f} name="list-filter" />${t("filter.more")}`}>
  ${e.map(o=>n`<${Zn} key=${o.name} ...${o} />`)}${s}<//></span>`;var sa=e=>Xn(e).map(({name:s,key:o,values:a})=>({name:s,text:t(o,a)})),na={...Object.fromEntries(Qn.map(e=>[e,""])),days:"",sort:""};function to(){let{query:e}=R.use(),[s,o]=y(!1),a=e.get("do")||"",r=Ye("picked"),i=Jn(e,e.get("when")?ws():0,x().id),l=JSON.stringify(i),c=kn().length>0,m=!!vn(l)||s,$=sa(e);if(Object.hasOwn(It,a)&&r&&b(It[a]))return n`<${$t} key=${a} action=${a} picked=${r} said=${$.map(({text:h})=>h)} />`;let u={...i,sort:Yn(e,i)},d=Jt(e),p=Vt(e),g=h=>Q({sort:h===p?"":h}),w=h=>h.map(F=>[F,t("filter."+F)]),k=[{name:"status",label:t("filter.status"),value:Me(e),of:w(Qt)},{name:"show",label:t("filter.show"),value:e.get("show")||"",of:w(["official","trials"])},{name:"when",label:t("filter.when"),value:e.get("when")||"",of:[["soon",t("filter.soon",{n:kt(e)})],["past",t("filter.past")]]},...D.haveBelow()?[{name:"mine",label:t("filter.whose"),value:e.get("mine")||"",of:[["1",t("filter.mine")]]}]:[],{name:"sort",label:t("sort"),value:d,always:!0,of:[p,...["newest","expiry","latest_expiry","username"].filter(h=>h!==p)].map(h=>[h,t("sort."+h)])}].map(h=>({...h,choose:F=>h.name==="sort"?g(F):Q({[h.name]:F,...h.name==="when"&&{days:""}})})),E=$.filter(({name:h})=>!k.some(F=>F.name===h&&F.value)),v=n`<tr>
    ${c&&n`<th class="pick"><${Cn} filter=${l} /></th>`}
    <${xt} name="name" label=${t("customer")} orders=${[["username","ascending"]]} order=${d} choose=${g} />
    <th class="st">${t("filter.status")}</th>
    <${xt} name="expiry" label=${t("filter.when")} orders=${[["expiry","ascending"],["latest_expiry","descending"]]} order=${d} choose=${g} />
    <th class="phone">${t("whatsapp")}</th><th class="notes">${t("notes")}</th><th class="does"><span class="hush">${t("actions")}</span></th></tr>`,C=()=>{mt.set(null),o(!1)};return n`<${L} title=${t("nav.lines")} actions=${n`<${Nt} query=${u} />
      ${c&&n`<button type="button" class="button ghost only thumb" aria-label=${t("select.some")} title=${t("select.some")} aria-pressed=${m} onClick=${()=>m?C():o(!0)}><${f} name="square-check" /></button>`}
      ${b("lines:write")&&n`<${Re} plain=${m} />`}`}>
    <div class=${m?"customers-of is-picking":"customers-of"}>
      <nav class="tabs" aria-label=${t("chips")}><${vt} of=${k}><hr /><${Nt} query=${u} look="" /><//><${oa} query=${e} /></nav>
      ${m?n`<${_n} filter=${l} query=${i} listed=${u} leave=${C} />`:n`<div class="list-bar">${k.map(h=>h.name!=="sort"&&n`<${eo} key=${h.name} ...${h} />`)}
          ${E.map(({name:h,text:F})=>n`<button key=${h} type="button" class="chip is-on" aria-label=${t("filter.remove",{filter:F})} onClick=${()=>Q({[h]:""})}>${F}<${f} name="x" /></button>`)}
          ${$.length>0&&n`<button type="button" class="button link" onClick=${()=>Q(na)}>${t("filter.clear")}</button>`}</div>`}
      <${_e} path="/lines" query=${u} label=${t("nav.lines")} head=${v} look="customers" count=${Js} empty=${$.length?t("lines.none-such"):t("lines.none")}
        row=${h=>gt(h,c?l:void 0)} />
    </div>
  <//>`}function xt({name:e,label:s,orders:o,order:a,choose:r}){let i=o.findIndex(([c])=>c===a),l=o[i]?.[1];return n`<th class=${e} scope="col" aria-sort=${l}><button type="button" class="sort" onClick=${()=>r(o[(i+1)%o.length][0])}>${s}<${f} name=${l?l==="ascending"?"arrow-up":"arrow-down":"chevrons-up-down"} /></button></th>`}function oa({query:e}){let s=ct.use(),o=W("/reports/summary",{days:1,...Gn(e,x().id,D.haveBelow())}),[a]=y(s);B(()=>{s!==a&&o.reload()},[s]);let r=o.value?.lines,i=Vn(e),l=!["status","show","when"].some(m=>e.get(m)),c=(m,$,u,d)=>n`<a key=${m} href=${Ge("/lines?"+new URLSearchParams(u))} aria-current=${$?"page":void 0} data-tab=${m}
    onClick=${p=>{p.preventDefault(),Q({...u,days:""})}}>${t("tabs."+m)}${d!==void 0&&n` <b>${A(d)}${r?.capped?"+":""}</b>`}</a>`;return n`${c("all",l,{status:"",show:"",when:""},void 0)}
    ${Object.entries(ye).map(([m,[$,u]])=>c(m,m===i,u,r?.[$]))}`}var Le=({form:e})=>n`
  <${T} form=${e} name="country" label=${t("country")} hint=${t("country.hint")} maxlength="64" required />
  <${T} form=${e} name="whatsapp" label=${t("whatsapp")} hint=${t("whatsapp.hint")} type="tel" inputmode="tel" maxlength="64" />
  <${T} form=${e} name="telegram" label=${t("telegram")} maxlength="64" />
  <${T} form=${e} name="email" label=${t("email")} type="email" inputmode="email" maxlength="254" />
  <${T} form=${e} name="notes" label=${t("notes")} kind="textarea" rows="3" maxlength="2000" />`,Ae=e=>({country:e.country,whatsapp:e.whatsapp.trim()||null,telegram:e.telegram.trim()||null,email:e.email.trim()||null,notes:e.notes.trim()||null});function so({id:e}){let{query:s}=R.use(),o=tt(`/lines/${e}`,!0),{reading:a}=Te();return n`<${L} title=${o.value?.username||t("line.title")} named=${o.value} up="/lines">
    <${Z} of=${a&&o.value?{loading:!0}:o}>${r=>n`<${aa} line=${r} doing=${s.get("do")||""} changed=${o.set} />`}<//>
  <//>`}function aa({line:e,doing:s,changed:o}){let a=bn(e),r=!e.isTrial,i=b("lines:spend"),l=b("lines:write"),c={activate:!r&&i&&ia,extend:r&&i&&ca,edit:r&&l&&ma,describe:l&&da,suspend:l&&pa,resume:l&&fa,delete:b("lines:delete")&&ha},m=Object.hasOwn(c,s)&&c[s],$=(u,d=!1)=>n`<button type="button" class=${d?"button primary":"button"} onClick=${()=>K(u)}>${t("line."+u)}</button>`;return m?n`<${m} line=${e} payer=${a} changed=${o} />`:n`
    <p class="glance"><${je} line=${e} badge /> <${Lt} at=${e.expDate} /></p>
    ${/suspended|blocked/.test(e.effective||"")&&n`<${U}><p>${t(`line.${e.effective}-means`)}</p><${oo} line=${e} /><//>`}
    <div class="buttons">
      ${c.extend&&$("extend",!0)}${c.edit&&$("edit")}${c.activate&&$("activate",!0)}
      ${l&&n`${$("describe")}${$(e.suspended?"resume":"suspend")}`}
      ${c.delete&&n`<button type="button" class="button danger-plain" onClick=${()=>K("delete")}>${t("line.delete")}</button>`}
    </div>
    <div class="cols person">
    <${la} line=${e} />
    <div class="stack"><section class="panel">
      <h2>${t("line.record")}</h2>
      <${G} of=${[[t("whatsapp"),e.whatsapp],[t("telegram"),e.telegram],[t("email"),e.email],[t("country"),et(e.country)],[t("notes"),e.notes&&n`<span class="text">${e.notes}</span>`],[t("line.owner"),e.owner===x().id?null:a?.username||t("reseller.by-id",{id:e.owner})],[t("line.external-id"),e.external_id],[t("line.platform"),e.idPlatform],[t("line.id"),e.id],[t("created"),I(e.createdAt)],[t("changed"),I(e.updatedAt)]]} />
    </section>
    ${e.metadata&&n`<section class="panel members">
      <h2>${t("line.metadata")}</h2>
      <${G} of=${Object.entries(e.metadata).map(([u,d])=>[n`<span class="name" translate=${!1}>${u.split(/(?<=_)/).map(p=>n`${p}<wbr />`)}</span>`,n`<span class="text" translate=${!1}>${d||"—"}</span>`])} />
    </section>`}</div>
    <${ra} line=${e.id} />
    </div>`}var ra=({line:e})=>n`<${at} of=${{line:e}} latest=${ot({line:e})} />`;function la({line:e}){let[s,o]=y(""),a=s||cn(e,be()),r=$n(a,e),i=pe(e.whatsapp,e.country),l=ht(e.telegram),c=(m,$,u)=>n`<a class=${$==="send"?"button":"button send"} href=${m} target="_blank" rel="noopener noreferrer"><${f} name=${$} />${u}</a>`;return n`<section class="panel">
    <h2>${t("line.access")}</h2>
    <${G} of=${[[t("username"),n`<span class="copied"><code translate=${!1} data-username>${e.username}</code><${Be} text=${e.username} label=${t("line.copy-name")} /></span>`],[t("password"),e.password===null?n`<span class="quiet">${t("line.password-hidden")}</span>`:n`<span class="copied"><code translate=${!1} data-password>${e.password}</code><${Be} text=${e.password} label=${t("line.copy-password")} /></span>`]]} />
    <fieldset class="choice few short"><legend class="hush">${t("line.message")}</legend>
      ${ln.map(m=>n`<label key=${m}><input type="radio" name="message" value=${m} checked=${m===a} onChange=${()=>o(m)} /><span>${t("messages."+m)}</span></label>`)}
    </fieldset>
    <p class="bubble text" translate=${!1} data-message=${a}>${r}</p>
    <div class="buttons">
      ${c(qe(i,r),"message-circle",i?t("line.whatsapp-to",{number:Qs(i)}):t("line.whatsapp"))}
      ${c(bt(l,r),"send",l?t("line.telegram-to",{name:"@"+l}):t("line.telegram"))}
      <${Ns} text=${r} label=${t("line.copy")} />
    </div>
    ${e.whatsapp&&!i&&n`<p class="quiet">${t("line.whatsapp-unsure",{number:e.whatsapp})}</p>`}
  </section>`}function ia({line:e,payer:s,changed:o}){let a=t("line.activate-title",{name:e.username}),r=J({name:"activate "+e.id,method:"PATCH",path:"/lines/active/"+e.id,title:a,payer:e.owner,fields:{username:e.username,password:e.password||"",credits:"",whatsapp:e.whatsapp||"",country:e.country,notes:e.notes||""}}),{answer:i,fields:l}=r;return Y(r,()=>{o(i),M(N(t("line.activated",{name:i.username,until:I(i.expDate)}),{payer:e.owner,key:r.key}))}),n`<section class="panel"><h2>${ne("line.activate-title",{name:e.username})}</h2>
    <${V} form=${r} submit=${l.credits?t("line.activate-for",{cost:P(l.credits)}):t("line.activate")} ready=${l.credits!==""} onClose=${()=>M()}
      onSubmit=${()=>r.send({...l,whatsapp:l.whatsapp.trim()||null,notes:l.notes.trim()||null})}>
      <${pn} form=${r} />
      <${gn} payer=${s} form=${r} />
      <${no} form=${r} />
    <//>
  </section>`}var no=({form:e,whatsapp:s=!1})=>n`
  <${T} form=${e} name="username" label=${t("username")} maxlength="64" required />
  <${T} form=${e} name="password" label=${t("password")} minlength="4" maxlength="128" required />
  <${T} form=${e} name="whatsapp" label=${t("whatsapp")} hint=${t("whatsapp.hint")} type="tel" inputmode="tel" maxlength="64" required=${s} />
  <${T} form=${e} name="country" label=${t("country")} hint=${t("country.hint")} maxlength="64" required />
  <${T} form=${e} name="notes" label=${t("notes")} kind="textarea" rows="3" maxlength="2000" />`,ca=({line:e,payer:s,changed:o})=>n`<section class="panel"><h2>${ne("line.extend-title",{name:e.username})}</h2>
  <${wn} line=${e} payer=${s} onClose=${()=>M()} then=${(a,r)=>{o(a),M(N(t("line.extended",{name:a.username,until:I(a.expDate)}),{payer:e.owner,key:r}))}}><p><${je} line=${e} /> <${Lt} at=${e.expDate} /></p><//>
</section>`;function ma({line:e,changed:s}){let o=t("line.edit-title",{name:e.username}),a=J({name:"edit "+e.id,method:"PATCH",path:"/lines/"+e.id,title:o,fields:{username:e.username,password:e.password||"",whatsapp:e.whatsapp||"",country:e.country,notes:e.notes||""}}),{answer:r,fields:i}=a;return Y(a,()=>{s({...e,...r}),M(N(t("line.edited",{name:r.username})))}),n`<section class="panel"><h2>${o}</h2>
    <${V} form=${a} submit=${t("save")} onSubmit=${()=>a.send({...i,notes:i.notes.trim()||null})} onClose=${()=>M()}>
      <${no} form=${a} whatsapp />
    <//>
  </section>`}var $a=e=>Object.entries(e||{}).map(([s,o])=>`${s}: ${o.replaceAll(`
`,`
  `)}`).join(`
`);function ua(e){let s=new Map,o="",a="";for(let r of e.split(`
`))if(s.size&&r.startsWith("  "))s.set(o,s.get(o)+`
`+r.slice(2));else if(r.trim()){let[,i="",l=""]=r.match(/^ *([a-z0-9_]{1,40}) *:(.*)/s)||[];(!i||s.has(i))&&(a||=t("line.metadata.row",{row:r})),s.set(o=i,l)}return{metadata:s.size?Object.fromEntries(s):null,wrong:a}}function da({line:e,changed:s}){let o=t("line.describe-title",{name:e.username}),a=J({name:"describe "+e.id,method:"PATCH",path:`/lines/${e.id}/details`,title:o,fields:{country:e.country,whatsapp:e.whatsapp||"",telegram:e.telegram||"",email:e.email||"",notes:e.notes||"",external_id:e.external_id||"",metadata:$a(e.metadata||null)}}),{answer:r,fields:i}=a,{metadata:l,wrong:c}=ua(i.metadata),[m,$]=y(a.restored);return Y(a,()=>{s(r),M(N(t("line.described",{name:r.username})))}),n`<section class="panel"><h2>${o}</h2>
    <${V} form=${a} submit=${t("save")} unclear=${!!c} onClose=${()=>M()}
      onSubmit=${()=>a.send({...Ae(i),external_id:i.external_id.trim()||null,metadata:l})}>
      <${Le} form=${a} />
      <${T} form=${a} name="external_id" label=${t("line.external-id")} hint=${t("line.external-id.hint")} maxlength="64" />
      <${T} form=${a} name="metadata" label=${t("line.metadata")} hint=${t("line.metadata.hint")} wrong=${m&&c} kind="textarea"
        rows=${Math.min(i.metadata.split(`
`).length+3,21)} onBlur=${()=>$(!0)} />
    <//>
  </section>`}var oo=({line:{suspension_reason:e}})=>e&&n`<${G} of=${[[t("reason"),n`<span class="text">${e}</span>`]]} />`,ao=({line:{id:e,username:s},changed:o,name:a,...r})=>n`<${rt} name=${`${a} ${e}`} path=${`/lines/${e}/suspension`}
  title=${t(`line.${a}-title`,{name:s})} submit=${t("line."+a)} ...${r}
  then=${i=>{o(i),M(N(t(`line.${a}-done`,{name:s})))}} />`,pa=({line:e,changed:s})=>n`<${ao} line=${e} changed=${s} name="suspend" method="PUT" danger meaning=${t("line.suspended-means")} fields=${{reason:""}}>
  ${o=>n`<${lt} form=${o} name=${e.username} />`}<//>`,fa=({line:e,changed:s})=>n`<${ao} line=${e} changed=${s} name="resume" method="DELETE" meaning=${t("line.resume-meaning")}>${()=>n`<${oo} line=${e} />`}<//>`;function ha({line:e}){let s=t("line.delete-title",{name:e.username}),o=J({name:"delete "+e.id,method:"DELETE",path:"/lines/"+e.id,title:s,fields:{typed:""},secret:["typed"]});return Y(o,()=>bs("/lines",N(t("line.deleted",{name:e.username})))),n`<section class="panel"><h2>${s}</h2>
    <${V} form=${o} danger submit=${t("line.delete")} ready=${de(o.fields.typed)===e.username} onSubmit=${()=>o.send()} onClose=${()=>M()}>
      <p>${t("line.delete-meaning")}</p>
      <${T} form=${o} name="typed" label=${t("line.delete-type",{name:e.username})} required />
    <//>
  </section>`}function ro({name:e,label:s}){let o=R.use().query.get(e)||"",[a,r]=y(o),i=se(0);return B(()=>{i.current||r(o)},[o]),B(()=>()=>clearTimeout(i.current),[]),n`<label class="search"><${f} name="search" />
    <input type="search" value=${a} onInput=${c=>{let m=c.target.value;r(m),clearTimeout(i.current),i.current=setTimeout(()=>{i.current=0,Q({[e]:de(m)})},250)}} aria-label=${s} placeholder=${s} autocapitalize="none" autocomplete="off" spellcheck=${!1} maxlength="64" /></label>`}var ba=500,lo={low:e=>!!ze(e),blocked:e=>!e.active_tree},io=({credits:e},{credits:s})=>O(e)<O(s)?-1:+(O(e)>O(s)),co=["balance","-balance"];function mo(e){let s=new URLSearchParams(location.search);for(let[o,a]of Object.entries(e))a?s.set(o,a):s.delete(o);gs({},s.size?"?"+s:""),R.set({...R.get(),query:s})}function $o(){let{query:e}=R.use(),[s,o]=y(null);if(e.get("do")==="create"&&D.createResellers())return n`<${ga} />`;let a=e.get("q"),r=!!e.get("all")||!!a,i=s!==!1&&e.get("view")||"",l=s!==!1&&co.find(v=>v===e.get("sort"))||"",c=r?{q:a}:{master:x().id},m=(v,C)=>v.filter(h=>h.id!==x().id&&lo[C]?.(h)!==!1),$=v=>s&&!a&&m(s,v).length,u=v=>{let C=m(v,i);return l?C.sort((h,F)=>l==="balance"?io(h,F):io(F,h)):C},d=(v,C,h,F)=>n`<a key=${v} href=${Ge("/resellers?"+new URLSearchParams(h))} aria-current=${C?"page":void 0} data-tab=${v}
    onClick=${z=>{z.preventDefault(),(h.all?r&&!a:!r)?mo({view:h.view||""}):Q({q:"",all:"",view:"",...h})}}>${t("resellers."+v)}${typeof F=="number"&&n` <b>${A(F)}</b>`}</a>`,p={name:"sort",label:t("sort"),value:l,always:!0,of:["",...co].map(v=>[v,t("sort."+(v||"oldest"))]),choose:v=>mo({sort:v})},g=s?n`<${xt} name="num bal" label=${t("balance")} orders=${[["balance","ascending"],["-balance","descending"]]} order=${l} choose=${p.choose} />`:n`<th class="num bal">${t("balance")}</th>`,[w,...k]=t("reseller.new").split(" "),E=n`<tr><th class="name">${t("reseller.title")}</th>${g}<th class="sit">${t("filter.status")}</th><th class="last">${t("reseller.recharged")}</th>
    <th class="tel">${t("whatsapp")}</th><th class="notes">${t("notes")}</th><th class="does"><span class="hush">${t("actions")}</span></th></tr>`;return n`<${L} title=${t("nav.resellers")} actions=${n`<${Ue} of="users" query=${c} />
      ${D.createResellers()&&n`<button type="button" class="button primary" onClick=${()=>K("create")}><${f} name="plus" /><span>${w}<span class="words"> ${k.join(" ")}</span></span></button>`}`}>
    <div class="customers-of">
      <nav class="tabs" aria-label=${t("chips")}><${vt} of=${s?[p]:[]}><hr /><${Ue} of="users" query=${c} look="" /><//>
        ${d("direct",!r&&!i,{},!r&&$(""))}
        ${s!==!1&&Object.keys(lo).map(v=>d(v,i===v,{view:v,...e.get("all")&&{all:"1"}},$(v)))}
        ${d("all",r&&!i,{all:"1"},r&&$(""))}</nav>
      <div class="filters" role="search"><${ro} name="q" label=${t("resellers.search")} /></div>
      <${_e} path="/users" query=${c} row=${Ht} label=${t("nav.resellers")} head=${E} look="resellers" size=${ba} arrange=${u} told=${o}
        count=${v=>t("resellers.count",{n:v,count:A(v)})} empty=${t(a||i?"resellers.none-such":"resellers.none")} />
    </div>
    <${pt} then=${ge} />
  <//>`}function ga(){let e=ue.use(),s=J({name:"create",method:"POST",path:"/users",title:t("reseller.new"),secret:["password"],fields:{username:"",password:sn(),is_master:0,credits:"0",country:void 0,whatsapp:"",telegram:"",email:"",notes:"",language:we.get()}}),o={...s.fields,country:s.fields.country??e?.country??""},a={...s,fields:o},{answer:r}=a,i=Oe(o.credits,!0),l=a.frozen?a.said().credits:i.amount;Y(a,()=>{let m=r.credits!=="0";Xs.set({of:"reseller "+r.id,secret:o.password}),ve("/resellers/"+r.id,{replace:!0,state:N(t("reseller.created",{name:r.username}),m?{payer:r.id,key:a.key}:{})})});let c=()=>a.send({username:o.username,password:o.password,is_master:o.is_master,credits:l,language:o.language,...Ae(o)});return n`<${L} title=${t("reseller.new")} up="/resellers"><section class="panel">
    <${V} form=${a} submit=${l&&O(l)>0n?t("reseller.create-amount",{amount:P(l)}):t("reseller.create")} unclear=${!!i.wrong} onSubmit=${c} onClose=${()=>M()}>
      <${T} form=${a} name="username" label=${t("username")} maxlength="64" required />
      <${T} form=${a} name="password" label=${t("password")} hint=${t("password.generated")} minlength="6" maxlength="128" required />
      <label class="check"><input type="checkbox" name="is_master" checked=${!!o.is_master} disabled=${a.frozen}
        onChange=${m=>a.set({is_master:m.target.checked?1:0})} />${t("reseller.is-master")}</label>
      ${b("credits:move")&&n`<${Fe} form=${a} typed=${i} label=${t("reseller.first-credits")} hint=${t(x().is_admin?"amount.issued":"amount.own")} />`}
      <${Le} form=${a} />
      <${T} form=${a} name="language" label=${t("language")} kind="select">
        ${Object.entries(Ie).map(([m,$])=>n`<option key=${m} value=${m} lang=${m}>${$}</option>`)}<//>
    <//>
  </section><//>`}var Yt=["month","last","dates"],Je=e=>[e.getFullYear(),e.getMonth()+1,e.getDate()].map(s=>String(s).padStart(2,"0")).join("-"),Ve=(e,s)=>new Date(e.getFullYear(),e.getMonth(),e.getDate()+s);function uo(e){let[,s,o,a]=/^(\d{4})-(\d\d)-(\d\d)$/.exec(e||"")||[];return s?new Date(Number(s),Number(o)-1,Number(a)):void 0}function po(e,s){let o=Yt.find(c=>c===e.get("period"))||"month",a=Ve(new Date(s),0),r=c=>new Date(a.getFullYear(),a.getMonth()+c,1);if(o==="last")return{which:o,from:r(-1),to:r(0),last:Ve(r(0),-1)};if(o==="month")return{which:o,from:r(0),to:r(1),last:a};let[i,l]=[uo(e.get("from"))||r(0),uo(e.get("to"))||a].sort((c,m)=>c.getTime()-m.getTime());return{which:o,from:i,to:Ve(l,1),last:l}}function fo(e){let s=0n,o=0n;for(let{amount:a}of e)a.startsWith("-")?o-=O(a):s+=O(a);return{came:re(s),went:re(o)}}function ho(e,s,{from:o,last:a}){let r=[],i=s,l=e.length-1;for(let c=o;c<=a;c=Ve(c,1)){for(let m=Ve(c,1);l>=0&&new Date(e[l].at)<m;l--)i=e[l].balance;r.push({day:c,balance:i})}return r}async function wa(e,s,o){let a=[];for(let r="";;){let{data:i,next_cursor:l,opening:c,closing:m}=await fs("GET",e,{query:{...s,limit:500,cursor:r},signal:o});if(a.push(...i),l===null)return{entries:a,opening:c,closing:m};r=l}}function Gt(e){let{query:s}=R.use(),o=po(s,be()),a={from:o.from.toISOString(),to:o.to.toISOString()},r=`/users/${e.id}/ledger`,i=W(r,a,wa),l=i.value,c=Os(o.from,o.last),m=!e.is_admin&&n`<${ya} of=${l} />`,$=d=>Q({period:d==="month"?"":d,from:"",to:"",...d==="dates"&&{from:Je(o.from),to:Je(o.last)}}),u=(d,p)=>n`<label class="field">${t("statement."+d)}<input class="input" type="date" name=${d} required
    value=${Je(p)} max=${Je(new Date(be()))} onChange=${g=>{g.target.value&&Q({[d]:g.target.value})}} /></label>`;return{actions:n`<button type="button" class="button ghost print" disabled=${!l} onClick=${()=>print()}><${f} name="printer" /><span>${t("print")}</span></button>
      <${Ue} of="ledger" query=${{account:e.id,...a}} label=${t("statement.csv")} look="button" />`,shown:n`<div class="statement">
      <${on} title=${t("print.statement",{name:e.username})} more=${()=>n`<p>${c}</p>
        ${l?n`${m}<table class="table ledger"><thead>${zt()}</thead><tbody>${l.entries.map(wt)}</tbody></table>`:t("list.loading")}`} />
      <div class="period">
        <div class="seg" role="group" aria-label=${t("statement.period")}>
          ${Yt.map(d=>n`<button key=${d} type="button" aria-pressed=${d===o.which} onClick=${()=>$(d)}>${t("statement."+d)}</button>`)}
        </div>
        <p class="quiet" role="status">${c}</p>
        ${o.which==="dates"&&n`<div class="dates">${u("from",o.from)}${u("to",o.last)}</div>`}
      </div>
      ${i.problem&&n`<${H} problem=${i.problem} retry=${i.reload} />`}
      ${m&&n`${m}<${Pn} days=${l&&ho(l.entries,l.opening,o)} />`}
      <${_e} path=${r} query=${a} row=${wt} head=${zt()} look="dense ledger"
        count=${d=>t("statement.count",{n:d,count:A(d)})} label=${t("nav.statement")} empty=${t("statement.none")} />
    </div>`}}function bo({account:e}){let{actions:s,shown:o}=Gt(e);return n`<div class="head"><h2>${t("nav.statement")}</h2><div class="actions">${s}</div></div>${o}`}function ya({of:e}){let{came:s,went:o}=fo(e?e.entries:[]),a=i=>O(i)?Ze(i):"0",r=[[t("statement.opening"),e&&q(e.opening)],[t("statement.in"),a(s)],[t("statement.out"),a("-"+o)],[t("statement.closing"),e&&q(e.closing)]];return n`<dl class="sums panel" aria-busy=${!e}>${r.map(([i,l])=>n`<div key=${i}><dt>${i}</dt><dd>${e?l:"…"}</dd></div>`)}</dl>`}function De(e){let s=e.id===x().id;return{mine:s,write:b("users:write"),moves:D.manage(e,"credits:move"),blocks:D.manage(e,"users:write"),resets:D.manage(e,"manage"),held:b("users:read")&&(s?!e.is_admin:D.manage(e,""))}}function wo({id:e}){let{query:s}=R.use(),o=tt(`/users/${e}`),a=o.value,[r,i]=y(0),l=Ke(a&&De(a).held?a.id:null),c=s.get("do")||"",m=a&&ka(a,c),$=a&&De(a).moves&&/^(topup|reclaim)$/.test(c),u=d=>{if(i(r+1),$)return M(d);ge(d),o.reload()};return Zs(),n`<${L} title=${a?.username||t("reseller.title")} named=${a} up="/resellers" actions=${a&&!m&&n`<${va} reseller=${a} />`}>
    <${Z} of=${o}>${()=>m?n`<${m} reseller=${a} alerts=${l} />`:n`<${xa} reseller=${a} alerts=${l} turn=${r} />`}<//>
    ${$?n`<${jt} key=${c} reseller=${a} name=${c} onClose=${d=>d?u(d):M()} />`:n`<${pt} then=${u} />`}
  <//>`}function ka(e,s){let{write:o,held:a,blocks:r,resets:i}=De(e),l={block:r&&!e.block_reseller&&Fa,unblock:r&&e.block_reseller&&Ta,contact:o&&go,password:o&&go,alert:a&&o&&Ea,totp:i&&Ra};return Object.hasOwn(l,s)&&l[s]}function va({reseller:e}){let{mine:s,write:o,moves:a,held:r,resets:i}=De(e),l=(c,m,$)=>n`<button type="button" onClick=${()=>K(c)}><${f} name=${m} />${$}</button>`;return n`${a&&n`<button type="button" class="button primary" aria-haspopup="dialog" onClick=${()=>oe.set({reseller:e,name:"topup"})}><${f} name="plus" />${t("reseller.topup")}</button>`}
    ${o&&n`<button type="button" class="button" onClick=${()=>K("contact")}>${t("reseller.contact")}</button>`}
    ${(a||s||r&&o||i)&&n`<${ee} label=${t("more-about",{name:e.username})} look="button only">
      ${a&&n`<button type="button" onClick=${()=>oe.set({reseller:e,name:"reclaim"})}><${f} name="coins" />${t("reseller.reclaim")}</button>`}
      ${r&&o&&l("alert","bell",t("alert"))}
      ${s&&n`<${S} to="/sessions"><${f} name="shield-check" />${t("nav.sessions")}<//>`}
      ${i&&n`<hr />${l("totp","shield-x",t("reseller.totp")+"…")}`}<//>`}`}function xa({reseller:e,alerts:s,turn:o}){let{moves:a,blocks:r,mine:i,held:l}=De(e),{id:c,username:m}=e,$={account:c},u=ot($),d=e.is_admin?"admin":e.is_master?"master":"reseller",p=s.value?.balance_low,g=ze(e,p),w=!b("events:read")||u.value||u.problem;return n`
    <p class="glance"><span class="badge"><${f} name="store" />${t("role."+d)}</span>${!e.active_tree&&n`<${Ut} reseller=${e} badge />`}<span class="quiet">${t("reseller.since",{date:_s(e.createdAt)})}</span></p>
    <${nn} of=${"reseller "+c} name=${m} number=${pe(e.whatsapp,e.country)} />
    <div class="cols">
      <div class="stack">
        ${!e.is_admin&&n`<section class="panel"><h2>${t("balance")}</h2><div class="top-up-in">
          <div><p class="big" data-balance=${e.credits}><${Ne} of=${e.credits} /></p>
            ${l&&!i&&n`<p class="low">${g&&n`<${f} name="trending-down" />${t(p?"reseller.low-alert":"home.low",{amount:q(g)})}`}</p>`}</div>
          ${a&&n`<div class="adds" role="group" aria-label=${t("reseller.topup")}>${Ee.map(k=>n`<button key=${k} type="button" class="button" aria-haspopup="dialog" translate=${!1} data-add=${k}
            onClick=${()=>oe.set({reseller:e,name:"topup",amount:k})}>+${k}</button>`)}</div>`}</div></section>`}
        ${b("lines:read")&&n`<${Ca} reseller=${e} />`}
        ${w?n`${!!(e.is_master||e.is_admin)&&n`<section class="panel"><h2>${t("reseller.below")}</h2><${An} key=${o} master=${c} /></section>`}<${at} of=${$} latest=${u} />`:n`<${st} />`}
      </div>
      ${w&&n`<div class="stack">
        ${e.block&&n`<section class="panel"><h2>${t("reseller.blocked")}</h2><${yo} of=${e.block} /></section>`}
        <section class="panel"><h2>${t("line.record")}</h2><${G} of=${[[t("reseller.role"),t("role."+d)],[t("whatsapp"),e.whatsapp],[t("telegram"),e.telegram],[t("email"),e.email],[t("country"),et(e.country)],[t("notes"),e.notes&&n`<span class="text">${e.notes}</span>`],[t("reseller.master"),e.master&&!i?n`<${_a} id=${e.master} />`:null],[t("alert.field"),s.value?p?n`<${Ne} of=${p} />`:t("alert.none"):l&&!s.problem?"…":null],[t("reseller.recharged"),e.is_admin?null:I(e.recharge)],[t("line.id"),c],[t("created"),I(e.createdAt)],[t("changed"),I(e.updatedAt)]]} /></section>
        ${r&&n`<section class="panel"><h2>${t(e.block_reseller?"reseller.unblock":"reseller.block")}</h2>
          <p class="quiet">${t(e.block_reseller?"reseller.unblock-meaning":"reseller.block-meaning")}</p>
          ${e.block_reseller?n`<button type="button" class="button" onClick=${()=>K("unblock")}><${f} name="lock-open" />${t("reseller.unblock-title",{name:m})}</button>`:n`<button type="button" class="button danger-plain" onClick=${()=>K("block")}><${f} name="lock" />${t("reseller.block-title",{name:m})}…</button>`}</section>`}
      </div>`}
    </div>
    ${w&&b("ledger:read")&&n`<${bo} key=${o} account=${e} />`}`}var Sa=[["running","circle-check","good"],["soon","clock-alert","warn"],["past","circle-x","bad"],["trials","circle-dashed","plain"]];function Ca({reseller:{id:e}}){let{value:s,problem:o,reload:a}=W("/reports/summary",{account:e,days:1}),r=s?.lines,i=l=>"/lines?"+new URLSearchParams(Sn({owner:e,...l}));return n`<section class="panel"><header><h2>${t("nav.lines")}</h2><${S} class="button link" to=${i({})}>${t("home.all")}<//></header>
    ${o&&n`<${H} problem=${o} retry=${a} />`}
    <ul class="tiles">${Sa.map(([l,c,m])=>n`<li key=${l}><${S} class="tile" to=${i(ye[l][1])} data-count=${l}>
      <span class="figure">${r?A(r[ye[l][0]])+(r.capped?"+":""):" "}</span><span><${Se} icon=${c} tone=${m}>${t("tabs."+l)}<//></span><//></li>`)}</ul>
  </section>`}function _a({id:e}){let s=nt(e);return e===x().id?s:n`<${S} to=${"/resellers/"+e}>${s||t("reseller.by-id",{id:e})}<//>`}var Xt=({reseller:e,name:s,path:o="block",...a})=>n`<${rt} name=${`${s} ${e.id}`} path=${`/users/${e.id}/${o}`}
  title=${t(`reseller.${s}-title`,{name:e.username})} meaning=${t(`reseller.${s}-meaning`)} submit=${t("reseller."+s)} danger=${s!=="unblock"} ...${a}
  then=${()=>M(N(t(`reseller.${s}-done`,{name:e.username}),s==="block"?{undo:Oa(e)}:{}))} />`,Oa=({id:e,username:s})=>({name:"unblock "+e,method:"DELETE",path:`/users/${e}/block`,title:t("reseller.unblock-title",{name:s}),said:t("reseller.unblock-done",{name:s})}),yo=({of:{lines:e,reason:s,at:o}})=>n`<${G} of=${[[t("nav.lines"),t("block."+e)],[t("block.since"),o&&I(o)],[t("reason"),s&&n`<span class="text">${s}</span>`]]} />`;function Fa(e){let{id:s,username:o}=e.reseller,a=b("lines:read"),r=W(a?"/reports/summary":null,{tree:s,days:1});return n`<${Xt} ...${e} name="block" method="PUT" fields=${{lines:"run",reason:""}}>${i=>n`
    <${Ls} form=${i} name="lines" label=${t("block.lines")} of=${["run","suspend"].map(l=>[l,t("block."+l),t(`block.${l}-means`)])} />
    ${a&&i.fields.lines==="suspend"&&n`<${Z} of=${r}>${qa}<//>`}
    <${lt} form=${i} name=${o} />`}<//>`}function qa({lines:{running:e,trials:s,capped:o}}){let a=e+s,r=A(a);return n`<p role="status" data-stops=${a}><strong>${t("block.stops",{n:a,lines:o?t("at-least",{n:r}):r})}</strong></p>`}var Ta=({reseller:e})=>n`<${Xt} reseller=${e} name="unblock" method="DELETE">
  ${()=>e.block&&n`${e.block.lines==="suspend"&&n`<p>${t("block.over")}</p>`}<${yo} of=${e.block} />`}<//>`,Ra=e=>n`<${Xt} ...${e} name="totp" method="DELETE" path="totp" />`;function go({reseller:e}){let s=t("reseller.contact-title",{name:e.username}),{mine:o}=De(e),a=R.get().query.get("do")==="password",r=J({name:"contact "+e.id,method:"PATCH",path:`/users/${e.id}/contact`,title:s,secret:["password"],fields:{country:e.country,whatsapp:e.whatsapp||"",telegram:e.telegram||"",email:e.email||"",notes:e.notes||"",username:e.username,password:""}}),{fields:{username:i,password:l},answer:c}=r;Y(r,()=>M(N(t(l?"password.changed":"reseller.contact-done",{name:c.username}))));let m=()=>r.send({...Ae(r.fields),...!o&&de(i)!==e.username&&{username:i},...!o&&l&&{password:l}});return n`<section class="panel"><h2>${s}</h2>
    <${V} form=${r} submit=${t("save")} onSubmit=${m} onClose=${()=>M()}>
      <${Le} form=${r} />
      ${!o&&n`<details open=${a||!!l||i!==e.username}><summary>${t("reseller.password")}</summary>
        <${T} form=${r} name="username" label=${t("username")} maxlength="64" required />
        <${T} form=${r} name="password" label=${t("password.new")} hint=${t("password.meaning")} type="password" autocomplete="new-password" minlength="6" maxlength="128" /></details>`}
    <//>
  </section>`}var Ea=({reseller:e,alerts:s})=>n`<${Z} of=${s}>${o=>n`<${ft} account=${e} alerts=${o} changed=${s.set} />`}<//>`;function ko(){let{actions:e,shown:s}=Gt(x());return n`<${L} title=${t("nav.statement")} actions=${e}>${s}<//>`}var vo=[["/",Kn],["/lines",to],["/lines/:id",so],["/jobs",j("Jobs")],["/jobs/:id",j("Job")],["/resellers",$o],["/resellers/:id",wo],["/statement",ko],["/activity",j("Activity")],["/webhooks",j("Webhooks")],["/webhooks/:id",j("OneWebhook")],["/keys",j("Keys")],["/keys/:id",j("OneKey")],["/staff",j("Staff")],["/staff/:id",j("Member")],["/messages",j("Messages")],["/sessions",j("Sessions")],["/proof",j("Proof")],["/prices",j("Prices")]];var Zt=`resellerd${me} theme`,xo=matchMedia("(prefers-color-scheme: dark)"),So=["device","light","dark"],St=he(ce(Zt)||"device");function Co(e){e==="device"?localStorage.removeItem(Zt):ie(Zt,e),St.set(e),_o()}function _o(){let e=St.get();document.documentElement.dataset.theme=e==="device"?xo.matches?"dark":"light":e}xo.addEventListener("change",_o);var es=`resellerd${me} keys off`,ts=he(!ce(es)),fe=he(!1);function Ma(e){e?localStorage.removeItem(es):ie(es,"yes"),ts.set(e)}function Oo(e){let s=document.querySelector("[data-search]");!(s instanceof HTMLElement)||document.querySelector("dialog[open]")||(e.preventDefault(),s.focus(),s.click())}addEventListener("keydown",e=>{if(e.key==="k"&&(e.ctrlKey||e.metaKey)&&!e.altKey&&Oo(e),e.defaultPrevented||e.ctrlKey||e.metaKey||e.altKey)return;let s=e.target instanceof HTMLElement?e.target:document.body,o=s.matches("input:not([type=checkbox]), textarea, select");if(e.key==="Escape"&&!fe.get()){o?s.blur():R.get().query.get("do")&&!document.querySelector("[data-form=sending], [data-form=unknown]")&&M();return}if(!(o||!ts.get()||fe.get())){if(e.key==="/")Oo(e);else if(e.key==="x")(s.closest("tr")?.querySelector(".pick input")||null)?.click();else if(e.key==="r")(s.closest("tr")?.querySelector("[data-renew]")||null)?.click();else if(e.key===".")document.querySelector(".pick-bar button")?.focus();else if(e.key==="?")e.preventDefault(),fe.set(!0);else if(e.key==="j"||e.key==="k"){let a=[...document.querySelectorAll("[data-row]")],r=a.findIndex(l=>l===s||(l.closest("tr")||l.previousElementSibling)?.contains(s)),i=r>=0?r+(e.key==="j"?1:-1):a.findIndex(l=>l.getBoundingClientRect().top>=0);if(!a[i])return;e.preventDefault(),a[i].focus(),a[i].scrollIntoView({block:"nearest"})}}});var La=[["/ Ctrl+K","search"],["j","next"],["k","previous"],["x","select"],["r","renew"],[".","act"],["Enter","open"],["Esc","leave"],["?","help"]];function Fo(){let e=se(null),s=fe.use(),o=ts.use();return B(()=>{s?e.current?.showModal():e.current?.close()},[s]),n`<dialog class="dialog" ref=${e} aria-labelledby="keys" onClose=${()=>fe.set(!1)}>
    <h2 id="keys">${t("keys.title")}</h2>
    <dl class="facts">${La.map(([a,r])=>n`<div key=${a}><dt>${a.split(" ").map(i=>n`<kbd>${i}</kbd> `)}</dt><dd>${t("keys."+r)}</dd></div>`)}</dl>
    <label class="check"><input type="checkbox" checked=${o} onChange=${a=>Ma(a.target.checked)} />${t("keys.letters")}</label>
    <div class="buttons"><button type="button" class="button primary" onClick=${()=>fe.set(!1)}>${t("close")}</button></div>
  </dialog>`}var ss=[["/","house",""],["/lines","tv","lines:read"],["/resellers","users","users:read",D.haveBelow],["/statement","receipt-text","ledger:read"]],ns={business:[["/prices","tag","",()=>!!x().is_admin],["/messages","message-square-text","lines:read"],["/activity","activity","events:read"],["/jobs","list-checks","lines:read"],["/proof","scale","ledger:read",()=>!!x().is_admin]],team:[["/staff","user-round-cog","manage"],["/keys","key-round","manage"],["/webhooks","webhook","manage"]],account:[["/sessions","shield-check",""]]},Ct=([,,e,s])=>b(e)&&s?.()!==!1,os=e=>t("nav."+(e.slice(1)||"home"));function To({children:e}){let{path:s}=R.use(),o=Us.use(),[a,r]=y(!1),i=js(a,()=>r(!1)),l="/"+s.split("/")[1],c=Aa(),m=([$,u])=>n`<${S} key=${$} to=${$} title=${os($)} aria-current=${$===l?"page":void 0}>
    <${f} name=${u} /><span>${os($)}</span><//>`;return n`
    <a class="skip" href="#main">${t("skip")}</a>
    <nav class="places" aria-label=${t("nav")}>
      <${S} to="/" class="brand" translate=${!1}><${_t} /><span class="clip">${le}</span><//>
      ${ss.filter(Ct).map(m)}
      <div class="rest" ref=${i}>
        <button type="button" aria-expanded=${a} aria-controls="more" onClick=${()=>r(!a)}><${f} name="menu" /><span>${t("nav.more")}</span></button>
        ${a&&n`<div class="veil" onClick=${()=>r(!1)}></div>`}
        <div id="more" class=${a?"more open":"more"} onClick=${$=>{$.target.closest("a")&&r(!1)}}>
          <div class="me"><span class="avatar" aria-hidden="true">${c[0].toUpperCase()}</span><span><b class="clip" translate=${!1}>${c}</b><${qo} /></span></div>
          ${Object.entries(ns).map(([$,u])=>u.some(Ct)&&n`<div key=${$} class=${"group "+$}><p class="group-name">${t("nav.group."+$)}</p>${u.filter(Ct).map(m)}</div>`)}
          <div class="narrow"><${Ot} /><${Ft} /></div>
        </div>
      </div>
      <${Ys} />
    </nav>
    <header class="top" data-who=${c}>
      <${S} to="/" class="start" aria-label=${le}><${_t} /><//>
      <${Pa} />
      <${qo} link />
      <${ee} label=${c} look="avatar" face=${c[0].toUpperCase()}>
        <p class="menu-head" translate=${!1}>${c}</p>
        <${S} to="/sessions"><${f} name="shield-check" />${t("nav.sessions")}<//>
        <${Ot} />
        <button type="button" onClick=${()=>fe.set(!0)}><${f} name="keyboard" />${t("keys.title")}<kbd>?</kbd></button>
        <hr />
        <${Ft} />
      <//>
    </header>
    <${Ms} />
    <main id="main" tabindex="-1">
      <div class="toasts" aria-live="polite">
        ${o.map($=>n`<${Ia} key=${$.id} sent=${$} />`)}<${zs} />
      </div>
      ${[...ss,...Object.values(ns).flat()].every(([$,,u])=>$!==l||b(u))?e:n`<${L} title=${t("nav."+l.slice(1))}><${U}><p>${t("problem.insufficient-scope")}</p><//><//>`}
    </main>
    <${Fo} /><${Is} />`}function Aa(){let{staff:e,username:s}=x();return e?t("acts-for",{name:e.username,account:s}):s}var Da=j("Palette",!0);function Pa(){let[e,s]=y(!1);return n`<button type="button" class="finder" data-search aria-haspopup="dialog" aria-keyshortcuts="/ Control+K" onClick=${()=>s(!0)}>
    <${f} name="search" /><span class="clip">${t("search")}${b("lines:read")&&n` <span class="desk">${t("search.what")}</span>`}</span><kbd class="key desk" aria-hidden="true">/</kbd></button>
    ${e&&n`<${Da} places=${[...ss,...Object.values(ns).flat()].filter(Ct).map(([o,a])=>[o,a,os(o)])} close=${()=>s(!1)} />`}`}function qo({link:e=!1}){let s=ue.use();if(!s||s.is_admin)return null;if(!e)return n`<span class="quiet"><${Ne} of=${s.credits} /></span>`;let o=n`<${f} name="coins" /><${Ds} of=${s.credits} />`;return b("ledger:read")?n`<${S} to="/statement" class="balance">${o}<//>`:n`<span class="balance">${o}</span>`}function Ia({sent:e}){let s=Ws(e),o=s.state.use(),[a,r]=y(!1),{path:i}=R.use(),l=e.place&&e.place!==i+location.search;if(B(()=>{r(!1);let m=setTimeout(()=>r(!0),e.place&&!l?5e3:700);return()=>clearTimeout(m)},[l]),B(()=>s.state.watch(()=>{let m=s.state.get();m==="done"&&!e.place&&ge(N(t("form.settled",{title:e.title}),{payer:e.payer,key:s.kept.key})),s.problem&&(m==="refused"||m==="over")&&(s.drop(),ge(N(t("form.not-done",{title:e.title,why:Es(s.problem).text}),{tone:"bad"})))}),[]),!a)return null;let c={problem:s.problem,pays:!!e.payer,tooOld:s.tooOld(),again:()=>s.again(),discard:()=>s.drop()};return n`<div class="toast" data-form=${o}><p>${t("form.pending",{title:e.title})}</p>
    ${l?n`<div class="buttons"><${S} class="button primary" to=${e.place}>${t("form.back")}<//></div>`:o==="sending"?n`<p role="status">${t("form.sending")}</p>`:n`<${As} form=${c} />`}</div>`}var _t=()=>Mt?n`<img class="own-logo" src=${Mt} alt="" />`:n`<span class="logo" aria-hidden="true">${le[0]}</span>`,Ro=()=>n`<p class="langs">${Object.entries(Ie).map(([e,s])=>n`<button key=${e} type="button" class="button link" lang=${e} data-lang=${e} aria-pressed=${we.get()===e}
  onClick=${()=>Et(e).catch(()=>location.reload())}>${s.replace(/ \(.*/,"")}</button>`)}</p>`;function Ot(){let[e,s]=y(null),o=a=>{s(null),Et(a).catch(s)};return n`<${At} icon="sun-moon" label=${t("theme")} value=${St.use()} choose=${Co} of=${So.map(a=>[a,t("theme."+a)])} />
  <${At} key=${!!e} icon="languages" label=${t("language")} value=${we.get()} choose=${o} of=${Object.entries(Ie)} />
  ${e&&n`<div class="toasts"><div class="toast"><div><${H} problem=${e} retry=${()=>location.reload()} /></div></div></div>`}`}function Ft({look:e=""}){let[s,o]=y(null),a=()=>xs().then(()=>ve("/",{replace:!0}),o);return n`<button type="button" class=${e} onClick=${a}><${f} name="log-out" />${t("sign-out")}</button>
    ${s&&xe.get().is!=="out"&&n`<${H} problem=${s} retry=${a} />`}`}function Eo({ended:e,dropped:s}){let[o,a]=y({username:"",password:"",totp:""}),[r,i]=y(!1),[l,c]=y(null),[m,$]=y(!1);B(()=>{document.getElementsByName(r?"totp":"username")[0]?.focus()},[r]),B(()=>{let w=l&&document.getElementsByName(r?"totp":"password")[0];w instanceof HTMLInputElement&&(w.focus(),w.select())},[l]);let u=async w=>{if(w.preventDefault(),m)return;$(!0),c(null);let{totp:k,...E}={...o,username:de(o.username)};try{await vs(r?{...E,totp:an(k)}:E)}catch(v){v.code!=="totp-required"?c(r&&v.code==="invalid-credentials"?new ps("wrong-code"):v):i(!0),$(!1)}},d=()=>{a({...o,password:"",totp:""}),c(null),i(!1)},g={fields:o,frozen:m,problem:l,set:w=>{r&&c(null),a(k=>({...k,...w}))}};return n`<main class="alone card-page"><div class="card"><p class="sign-brand" translate=${!1}><${_t} />${le}</p><${L} title=${t("sign-in")}>
    ${e&&n`<${U} tone=${s?"bad":"unsure"}><p>${t(s?"sign-in.dropped":"sign-in.ended")}</p><//>`}
    ${!isSecureContext&&n`<${U} tone="bad"><p>${t("sign-in.insecure")}</p><//>`}
    <form onSubmit=${u} aria-busy=${m}>
      ${r?n`<p>${t("sign-in.code",{name:o.username})}</p><${rn} form=${g} name="totp" recovery />`:n`<${T} form=${g} name="username" label=${t("username")} autocomplete="username" maxlength="64" required />
          <${T} form=${g} name="password" label=${t("password")} type="password" autocomplete="current-password" maxlength="128" required />`}
      ${l&&n`<${H} problem=${l} />`}
      <button type="submit" class="button primary wide tall" disabled=${m||!isSecureContext}>${t(m?"form.sending":"sign-in")}</button>
      ${r?n`<button type="button" class="button wide" onClick=${d}>${t("back")}</button>`:n`<p class="quiet small help">${t("sign-in.forgotten")}</p>`}
    </form>
  <//></div><${Ro} /></main>`}var as=new WeakSet,Pe=new Map,rs=new MutationObserver(Mo);function Mo(e){for(let{target:s,addedNodes:o,removedNodes:a,previousSibling:r,nextSibling:i}of e){let l=s;for(;l&&!as.has(l);)l=l.parentNode;if(l)continue;for(let $ of o)$ instanceof Text||as.add($);let c=[...o,r,i].filter($=>$&&as.has($)),m=c.find($=>!Pe.has($))||c[0];if(m)for(let $ of a)$ instanceof Text&&Pe.set(m,[...Pe.get(m)||[],$])}}function Na(e){Mo(rs.takeRecords());let s=[...Pe].filter(([o])=>o.parentNode).map(([o,a])=>({stand:o,texts:a,was:a.map(r=>r.data),apart:a.every(r=>!r.parentNode)}));Pe.clear();for(let{stand:o,texts:a}of s)o.replaceWith(...a);try{e()}finally{for(let{stand:o,texts:a,was:r,apart:i}of s)if(!(!i||!a.every((l,c)=>l.parentNode&&l.data===r[c]&&(!c||l.previousSibling===a[c-1])))){a[0].before(o);for(let l of a)l.remove();Pe.set(o,a)}rs.takeRecords()}}cs.debounceRendering=e=>queueMicrotask(()=>Na(e));var Lo=()=>rs.observe(document.body,{childList:!0,subtree:!0});var ke=[];addEventListener("focusin",e=>{ke=[];for(let s=e.target;s instanceof Element;s=s.parentElement)ke.push(s)});addEventListener("focusout",()=>{let[e]=ke;queueMicrotask(()=>{e&&e===ke[0]&&e!==document.activeElement&&ls(e)&&document.hasFocus()&&(ke=[])})});var ls=e=>e.isConnected&&!e.matches(":disabled")&&e.checkVisibility({visibilityProperty:!0}),Ao=e=>{e instanceof HTMLElement&&e.focus({preventScroll:!0})};function ja(){let[e]=ke,s=document.activeElement;if(!e||e===document.body||s!==e&&s!==document.body)return;if(ls(e)){s!==e&&Ao(e);return}if(e.isConnected&&e.matches(":disabled"))return;let o=ke.find(i=>i.isConnected),a=o?.closest("[data-form]"),r=a&&[...a.querySelectorAll("button, input, select, textarea")].find(ls);Ao(r||o?.closest(".screen")?.querySelector("h1")||document.querySelector("h1"))}new MutationObserver(ja).observe(document.body,{subtree:!0,childList:!0,attributes:!0,attributeFilter:["disabled","hidden"]});function Ba(){let{path:e}=R.use(),s=xe.use();we.use();let[o]=us(r=>setTimeout(()=>{throw r}));if(o)return n`<main class="alone"><${L} title=${le}><${U} tone="bad"><p>${t("broken")}</p>
      <button type="button" class="button" onClick=${()=>location.reload()}><${f} name="rotate-cw" />${t("load-again")}</button><//><//></main>`;switch(s.is){case"starting":return null;case"failed":return n`<main class="alone"><${L} title=${le}>
        <${H} problem=${s.problem} retry=${Rt} />
        <div class="settings"><${Ot} /></div><//></main>`;case"blocked":return n`<main class="alone"><${L} title=${t("blocked.title")}>
        <${U} tone="bad"><p>${t("problem.account-blocked")}</p><//><div class="buttons"><${Ft} look="button" /></div><//></main>`;case"out":return n`<${Eo} ended=${s.ended} dropped=${s.dropped} />`}if(e==="/sign-in")return ve("/",{replace:!0}),null;let a=ys(vo,e);return n`<${To} key=${$e(s.who)}>
    ${a?n`<${a.screen} key=${e} id=${a.id} />`:n`<${L} title=${t("nowhere")}><p><${S} to="/">${t("nav.home")}<//></p><//>`}
  <//>`}function Ha(){if(document.querySelector("[rel=manifest]"))return;let e=document.createElement("link");e.rel="manifest",e.href=new URL("./manifest.webmanifest",import.meta.url).href,document.head.append(e)}var Do="";xe.watch(()=>{let e=xe.get();!("who"in e)||$e(e.who)===Do||(Do=$e(e.who),Bs(),Ln(),Hs(),Vs.set(null),mt.set(null),Ha(),setTimeout(()=>hn().catch(()=>null),2e3))});document.documentElement.dataset.blocked||Rt().then(()=>{document.querySelector(".before")?.remove(),ms(n`<${Ba} />`,document.body),Lo()});
//# sourceMappingURL=app.js.map
