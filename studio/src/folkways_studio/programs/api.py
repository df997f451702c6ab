"""API: webhooks, which send the events of a study."""

from __future__ import annotations

from fastapi import APIRouter

from folkways_studio.programs import deliveries, webhooks
from folkways_studio.web.api.bodies import NewWebhook
from folkways_studio.web.api.calls import Number, OwnerCall, TokenRoute
from folkways_studio.web.api.responses import (
    Cursor,
    DeliveryResponse,
    Limit,
    NewWebhookResponse,
    PageResponse,
    WebhookResponse,
    page_of,
)

router = APIRouter(tags=["webhooks"], route_class=TokenRoute)


@router.get("/studies/{study}/webhooks")
def list_webhooks(call: OwnerCall) -> list[WebhookResponse]:
    """List webhooks, without their secrets."""
    return [WebhookResponse.of(each) for each in webhooks.list_webhooks(call.workspace, call.study.id)]


@router.post("/studies/{study}/webhooks", status_code=201)
def make_webhook(call: OwnerCall, body: NewWebhook) -> NewWebhookResponse:
    """Make a webhook. Deliveries are signed as in Standard Webhooks, with the secret in the response."""
    private = call.studio.settings.private_webhooks
    made, secret = webhooks.create_webhook(
        call.workspace, call.study.id, body.url, body.events, private=private, by=call.account.id
    )
    return NewWebhookResponse.of(made, secret=secret)


@router.post("/studies/{study}/webhooks/{webhook}/enable")
def enable_webhook(call: OwnerCall, webhook: Number) -> WebhookResponse:
    """Enable a webhook again that was switched off after failures."""
    return WebhookResponse.of(
        webhooks.enable_webhook(call.workspace, call.study.id, webhook, by=call.account.id)
    )


@router.delete("/studies/{study}/webhooks/{webhook}", status_code=204)
def delete_webhook(call: OwnerCall, webhook: Number) -> None:
    """Delete a webhook."""
    webhooks.delete_webhook(call.workspace, call.study.id, webhook, by=call.account.id)


@router.get("/studies/{study}/webhooks/{webhook}/deliveries")
def list_deliveries(
    call: OwnerCall, webhook: Number, limit: Limit = 100, cursor: Cursor = 0
) -> PageResponse[DeliveryResponse]:
    """List the deliveries of a webhook, newest first."""
    hook = webhooks.get_webhook(call.workspace, call.study.id, webhook)
    rows = deliveries.list_deliveries(call.workspace, [hook.id], before=cursor or None, limit=limit + 1)
    return page_of(rows, limit, lambda each: each.id, DeliveryResponse.of)
