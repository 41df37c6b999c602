package application_test

import (
	"slices"
	"testing"

	"resellerd/application"
	"resellerd/application/lines"
	"resellerd/domain/line"
	"resellerd/test/fixture"
	"resellerd/test/kit"
	"resellerd/test/require"
)

// TestALineThatChangedAndIsGoneIsToldAsDeleted, also where one page comes to both.
func TestALineThatChangedAndIsGoneIsToldAsDeleted(t *testing.T) {
	h := kit.New(t, application.Policy{})
	kept, gone := h.Trial(h.Admin), h.Trial(h.Admin)
	first, err := h.Lines.ListEntitlements(t.Context(), kit.Call(h.Admin), lines.ListEntitlements{Limit: 10})
	require.NoError(t, err)
	require.NoError(t, kit.ErrorOf(h.Lines.Describe(t.Context(), kit.Call(h.Admin),
		lines.Edit{ID: gone.ID(), Description: line.Description{Notes: new(fixture.Text("moved"))}}, kit.Shown)))
	require.NoError(t, kit.ErrorOf(h.Lines.Delete(t.Context(), kit.Call(h.Admin), gone.ID(), kit.Shown)))
	then, err := h.Lines.ListEntitlements(t.Context(), kit.Call(h.Admin),
		lines.ListEntitlements{After: &first.Next, Limit: 10})
	require.NoError(t, err)
	ids := func(of lines.EntitlementPage) (all []int64) {
		for _, e := range of.Items {
			all = append(all, e.Line)
		}
		return all
	}
	if !slices.Equal(ids(first), []int64{kept.ID(), gone.ID()}) || !slices.Equal(ids(then), []int64{gone.ID()}) ||
		!then.Items[0].Deleted || then.Items[0].Version != 3 || then.More {
		t.Errorf("told of %+v, then %+v", first, then)
	}
}
